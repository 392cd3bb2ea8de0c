"""From signals to tidy tables: one row for each model, attack and metric; then means with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpmia import blind, metrics
from dpmia.attacks.base import Attack, Knowledge, measure
from dpmia.datasets.table import Dataset
from dpmia.losses import load_losses, together
from dpmia.metrics import mean_interval
from dpmia.settings.seeds import derive_seed
from dpmia.signals import MEMBER, NONMEMBER, POPULATION, VALIDATION, Signal, load_signals
from dpmia.splits.split import Split
from dpmia.theory.ceiling import advantage_ceiling, trade_off_of

#: The `attack` of metrics that belong to the model itself.
NO_ATTACK = "model"

#: The blind baseline (`dpmia.blind`), and the same classifier with the target model's losses.
BLIND, BLIND_WITH_LOSS = "blind", "blind_with_loss"

#: What one row is about.
KEYS = ["experiment", "arm", "iid", "epsilon", "attack", "oracle", "metric"]
COLUMNS = [*KEYS, "replicate", "value"]


def attack_table(
    experiment: str,
    name: str,
    attack: Attack,
    files: Iterable[Path | str],
    root_seed: int,
    shadows: Iterable[Path | str] = (),
    references: Iterable[Path | str] = (),
    distilled: Iterable[Path | str] = (),
    dataset: Dataset | None = None,
    reference_arm: str | None = None,
    details: bool = False,
    epsilons: Collection[str] | None = None,
) -> pd.DataFrame:
    """Attack the target models of one block.

    Args:
        experiment: name of the experiment.
        name: name of the attack.
        attack: the attack.
        files: signal files of the target models.
        root_seed: the user's seed; used by attacks that draw at random.
        shadows: signal files of the shadow models of the same arms and replicates.
        references: files of the losses of reference models.
        distilled: files of the losses of models distilled from the target models.
        dataset: prepared data, for an attack that sees the records' features.
        reference_arm: the arm whose reference models to use; the target model's own where None.
        details: also measure what `dpmia.precision` does.
        epsilons: of the models to attack, as they are spelled; None for all.

    Returns:
        Columns `COLUMNS`, sorted by them, so that the order of blocks leaves no trace.
    """
    models = AttackersModels(shadows, references, distilled)
    attack.prepare(models.shadows)
    rows = []
    for signal in _models(files):
        if epsilons is not None and signal.about["epsilon"] not in epsilons:
            continue
        signal = signal.of(MEMBER, NONMEMBER, POPULATION)
        rng = np.random.default_rng(derive_seed(root_seed, "attack", name, *signal.about["meaning"]))
        known = models.known(signal, reference_arm)
        if dataset is not None:
            known = replace(known, features=dataset.inputs(signal.records))
        found = measure(attack, signal, known, rng, details)
        rows += _rows(experiment, signal, name, attack.oracle, found)
    return _tidy(rows)


class AttackersModels:
    """All models of the attacker, and which of them an attack on one target model may use."""

    def __init__(
        self,
        shadows: Iterable[Path | str] = (),
        references: Iterable[Path | str] = (),
        distilled: Iterable[Path | str] = (),
    ) -> None:
        """Read the files."""
        by_split: defaultdict[tuple[str, int], list[Signal]] = defaultdict(list)
        for signal in _models(shadows):
            by_split[signal.about["arm"], signal.about["replicate"]].append(signal)
        # Tuples, made once: an attack may keep by their identity what it learnt from them.
        self._shadows = {split: tuple(signals) for split, signals in by_split.items()}
        losses = [group for path in references for group in load_losses(path)]
        self._references = together(losses) if losses else None
        self._distilled = defaultdict(list)
        for path in distilled:
            for part in load_losses(path):
                self._distilled[_target_of(part.about[0])].append(part)

    @property
    def shadows(self) -> list[Knowledge]:
        """All sets of shadow models, one for each arm and replicate."""
        return [Knowledge(shadows=signals) for signals in self._shadows.values()]

    def known(self, target: Signal, reference_arm: str | None) -> Knowledge:
        """Return the models that help against `target`."""
        arm, epsilon = target.about["arm"], target.about["epsilon"]
        references = None
        if self._references is not None:
            # Models without privacy serve against targets of every epsilon, where no others were trained.
            wanted = {about["epsilon"] for about in self._references.about}
            chosen = [
                about["arm"] == (reference_arm or arm) and about["epsilon"] == (epsilon if epsilon in wanted else "inf")
                for about in self._references.about
            ]
            references = self._references.on(target.records, np.array(chosen))
        parts = self._distilled.get(_target_of(target.about))
        distilled = None
        if parts is not None:
            whole = together(parts)
            distilled = whole.on(target.records, np.ones(len(whole.about), dtype=bool))
        shadows = self._shadows.get((arm, target.about["replicate"]), ())
        return Knowledge(shadows=shadows, references=references, distilled=distilled)


def _target_of(about: Mapping[str, Any]) -> tuple[str, str, int]:
    return about["arm"], about["epsilon"], about["replicate"]


def accuracy_table(experiment: str, files: Iterable[Path | str]) -> pd.DataFrame:
    """Return accuracy and mean loss of every model on members, non-members and, if any, validation records.

    Of private models also `advantage_ceiling`, which no attack exceeds where records are independent.

    Returns:
        Columns `COLUMNS`; `attack` is `NO_ATTACK`.
    """
    parts = {"members": MEMBER, "nonmembers": NONMEMBER, "validation": VALIDATION}
    rows = []
    for signal in _models(files):
        values = {}
        for name, part in parts.items():
            asked = signal.of(part)
            if len(asked.records):
                values[f"accuracy_{name}"] = float(asked.correct.mean())
                values[f"loss_{name}"] = float(asked.losses.mean())
        if signal.about["accounting"] is not None:
            curve = trade_off_of(signal.about["accounting"], signal.about["compares"])
            values["advantage_ceiling"] = advantage_ceiling(curve)
        rows += _rows(experiment, signal, NO_ATTACK, False, values)
    return _tidy(rows)


def blind_table(
    experiment: str,
    dataset: Dataset,
    splits: Mapping[tuple[str, int], Split],
    files: Iterable[Path | str],
    job: Mapping[str, Any],
    root_seed: int,
) -> pd.DataFrame:
    """Measure how well members are told from non-members without the model, and with its losses added.

    Args:
        experiment: name of the experiment.
        dataset: prepared data.
        splits: by (arm, replicate).
        files: signal files of the target models.
        job: as `dpmia.settings.jobs.blind_job` describes it.
        root_seed: the user's seed.

    Returns:
        Columns `COLUMNS`, with the attacks `BLIND`, the same at every epsilon, and `BLIND_WITH_LOSS`, which also has
        the metrics `advantage_excess` and `auc_excess` over the former.
    """
    scores: dict[tuple[str, int], np.ndarray] = {}
    rows = []
    for signal in _models(files):
        split = signal.about["arm"], signal.about["replicate"]
        if split[1] not in job["replicates"]:
            continue
        asked = signal.of(MEMBER, NONMEMBER)
        truth = asked.is_member
        given = dataset.inputs(asked.records), dataset.y[asked.records]
        seed = derive_seed(root_seed, BLIND, dataset.fingerprint, *split)
        if split not in scores:
            scores[split] = blind.blind_scores(*given, truth, seed)
        rows += _rows(experiment, signal, BLIND, False, _metrics(scores[split], truth))
        if signal.about["epsilon"] in job["with_loss"]:
            more = blind.scores_with_signal(*given, asked.losses, truth, seed)
            gained = blind.excess(more, scores[split], truth)
            values = _metrics(more, truth) | {name: gained[name] for name in ("advantage_excess", "auc_excess")}
            rows += _rows(experiment, signal, BLIND_WITH_LOSS, False, values)
    return _tidy(rows)


def _metrics(scores: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    return {**metrics.advantage(scores >= blind.THRESHOLD, truth), **metrics.ranking(scores, truth)}


def replicates_table(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return all metrics of an experiment, one row for each model.

    Where the blind baseline was measured, each attack also has `advantage_excess` and `auc_excess`: what it reaches
    beyond the baseline on the same split.

    Args:
        tables: what `attack_table`, `accuracy_table` and `blind_table` return.

    Returns:
        Columns `COLUMNS`, sorted by them.
    """
    rows = pd.concat(tables, ignore_index=True)
    return pd.concat([rows, _excess(rows)]).sort_values(COLUMNS[:-1], ignore_index=True)


def summary_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over replicates of every metric with its 95 % interval.

    Args:
        rows: what `replicates_table` returns.

    Returns:
        Columns `KEYS`, mean, low, high, replicates.
    """
    found = []
    for key, values in rows.groupby(KEYS, sort=True)["value"]:
        interval = mean_interval(values.to_numpy())
        found.append([*key, interval.mean, interval.low, interval.high, interval.count])
    return pd.DataFrame(found, columns=[*KEYS, "mean", "low", "high", "replicates"])


def _excess(rows: pd.DataFrame) -> pd.DataFrame:
    """Return what each attack reaches beyond the blind baseline of the same split."""
    model = ["experiment", "arm", "epsilon", "replicate", "metric"]
    of_attacks = rows[rows["metric"].isin(("advantage", "auc")) & ~rows["attack"].isin((BLIND, BLIND_WITH_LOSS))]
    of_blind = rows.loc[rows["attack"] == BLIND, [*model, "value"]]
    both = of_attacks.merge(of_blind, on=model, suffixes=("", "_blind"))
    return both.assign(metric=both["metric"] + "_excess", value=both["value"] - both["value_blind"])[COLUMNS]


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a tidy table: an empty cell is missing, and a text stays a text, `NA` and `null` too."""
    return pd.read_csv(path, keep_default_na=False, na_values=[""], dtype={"epsilon": float})


def _models(files: Iterable[Path | str]) -> Iterable[Signal]:
    for file in files:
        yield from load_signals(file)


def _rows(experiment: str, signal: Signal, attack: str, oracle: bool, values: dict[str, float]) -> list[list[Any]]:
    about = signal.about
    key = [experiment, about["arm"], about["iid"], float(about["epsilon"]), attack, oracle]
    return [[*key, metric, about["replicate"], value] for metric, value in values.items()]


def _tidy(rows: list[list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:-1], ignore_index=True)
