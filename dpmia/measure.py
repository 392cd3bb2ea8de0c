"""From signals to tidy tables: one row for each model, attack and metric; then means with intervals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpmia.attacks.base import Attack, Knowledge, measure
from dpmia.metrics import mean_interval
from dpmia.settings.seeds import derive_seed
from dpmia.signals import MEMBER, NONMEMBER, VALIDATION, Signal, load_signals

#: The `attack` of metrics that belong to the model itself.
NO_ATTACK = "model"

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
) -> pd.DataFrame:
    """Attack the target models of one block.

    Args:
        experiment: name of the experiment.
        name: name of the attack.
        attack: the attack.
        files: signal files of the target models.
        root_seed: the user's seed; used by attacks that draw at random.
        shadows: signal files of the shadow models of the same arms and replicates.

    Returns:
        Columns `COLUMNS`, sorted by them, so that the order of blocks leaves no trace.
    """
    rows = []
    known = _knowledge(shadows)
    for signal in _models(files):
        rng = np.random.default_rng(derive_seed(root_seed, "attack", name, *signal.about["meaning"]))
        mine = known[signal.about["arm"], signal.about["replicate"]]
        rows += _rows(experiment, signal, name, attack.oracle, measure(attack, signal, mine, rng))
    return _tidy(rows)


def _knowledge(shadows: Iterable[Path | str]) -> defaultdict[tuple[str, int], Knowledge]:
    """Return what the attacker has, by arm and replicate; all target models of these share one object."""
    by_split: defaultdict[tuple[str, int], list[Signal]] = defaultdict(list)
    for signal in _models(shadows):
        by_split[signal.about["arm"], signal.about["replicate"]].append(signal)
    known = {split: Knowledge(shadows=tuple(signals)) for split, signals in by_split.items()}
    return defaultdict(Knowledge, known)


def accuracy_table(experiment: str, files: Iterable[Path | str]) -> pd.DataFrame:
    """Return accuracy and mean loss of every model on members, non-members and, if any, validation records.

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
        rows += _rows(experiment, signal, NO_ATTACK, False, values)
    return _tidy(rows)


def summary_table(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the mean over replicates of every metric with its 95 % interval.

    Args:
        tables: what `attack_table` and `accuracy_table` return.

    Returns:
        Columns `KEYS`, mean, low, high, replicates.
    """
    rows = pd.concat(tables, ignore_index=True)
    found = []
    for key, values in rows.groupby(KEYS, sort=True)["value"]:
        interval = mean_interval(values.to_numpy())
        found.append([*key, interval.mean, interval.low, interval.high, interval.count])
    return pd.DataFrame(found, columns=[*KEYS, "mean", "low", "high", "replicates"])


def read_table(path: Path | str) -> pd.DataFrame:
    """Read a tidy table: a missing number is NaN, and a text stays a text, `NA` and `null` too."""
    missing = {column: [""] for column in ("value", "mean", "low", "high")}
    return pd.read_csv(path, keep_default_na=False, na_values=missing, dtype={"epsilon": float})


def _models(files: Iterable[Path | str]) -> Iterable[Signal]:
    for file in files:
        yield from load_signals(file)


def _rows(experiment: str, signal: Signal, attack: str, oracle: bool, values: dict[str, float]) -> list[list[Any]]:
    about = signal.about
    key = [experiment, about["arm"], about["iid"], float(about["epsilon"]), attack, oracle]
    return [[*key, metric, about["replicate"], value] for metric, value in values.items()]


def _tidy(rows: list[list[Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=COLUMNS).sort_values(COLUMNS[:-1], ignore_index=True)
