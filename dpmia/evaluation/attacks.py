"""Attacks on target models: from signals to rows of a tidy table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.attacks.base import Attack, Knowledge, Outcome, errors_of, outcome
from dpmia.common.arms import IID_SUFFIX
from dpmia.common.errors import KnowledgeError
from dpmia.common.reading.source import made
from dpmia.common.seeds import derive_seed
from dpmia.formats.losses import Losses, load_cards, load_losses, misplaced, together
from dpmia.formats.model_card import ModelCard
from dpmia.formats.rows import rows_of, tidy
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal, load_all, load_signals

#: Files that an error about the attacker's models names at most.
MOST_NAMED = 5


def attack_rows(
    experiment: str,
    name: str,
    attack: Attack,
    files: Iterable[Path | str],
    root_seed: int,
    models: AttackersModels | None = None,
    *,
    features: Callable[[np.ndarray], np.ndarray] | None = None,
    count: int | None = None,
    details: bool = False,
    epsilons: Collection[str] | None = None,
) -> list[list[Any]]:
    """Attack the target models of one block.

    Args:
        experiment: name of the experiment.
        name: name of the attack.
        attack: the attack.
        files: signal files of the target models.
        root_seed: the user's seed; used by attacks that draw at random.
        models: of the attacker; None for none.
        features: returns the features of records of the data set, for an attack that sees them.
        count: records of the data set, where it is known: queries on others are refused.
        details: also measure what `dpmia.metrics.precision` does.
        epsilons: of the models to attack, as they are spelled; None for all.

    Returns:
        Rows as `dpmia.formats.rows.MEASURED` says, sorted, so that the order of blocks leaves no trace.
    """
    models = AttackersModels() if models is None else models
    with errors_of(attack, "prepare"):
        attack.prepare(models.shadows)
    rows = []
    for signal in load_all(files, count):
        if epsilons is not None and signal.card.epsilon not in epsilons:
            continue
        signal = signal.of(MEMBER, NONMEMBER, POPULATION)
        rng = randomness(root_seed, name, signal)
        with models.named():
            knowledge = models.knowledge_of(signal)
            if features is not None:
                knowledge = replace(knowledge, features=features(signal.records))
            attack_outcome = outcome(attack, signal, knowledge, rng, details)
        rows += outcome_rows(experiment, name, attack, signal, attack_outcome)
    return tidy(rows)


def outcome_rows(
    experiment: str, name: str, attack: Attack, signal: Signal, attack_outcome: Outcome
) -> list[list[Any]]:
    """Return all metrics of an attack on one model, in rows as `dpmia.formats.rows.MEASURED` says."""
    return rows_of(
        experiment,
        signal,
        name,
        attack.oracle,
        attack_outcome.metrics(),
        attack_outcome.effects(),
        attack_outcome.fewest,
    )


def scored(
    attacks: Mapping[str, tuple[Attack, Iterable[Path | str]]], signals: Iterable[Path | str], root_seed: int
) -> Iterator[tuple[str, Signal, np.ndarray]]:
    """Yield for each target model and attack its scores on members and non-members.

    Args:
        attacks: name -> attack and files of the reference models it uses.
        signals: files of the target models.
        root_seed: the user's seed.

    Yields:
        Name of the attack, the outputs on members and non-members, and their scores; -inf where an attack has none, so
        that its record ranks last, as in its metrics.
    """
    models = {name: AttackersModels(references=files) for name, (_, files) in attacks.items()}
    for loaded in load_all(signals):
        for name, (attack, _) in attacks.items():
            signal = loaded.of(MEMBER, NONMEMBER, POPULATION)  # for each: an attack may change its arrays
            with models[name].named():
                knowledge, rng = models[name].knowledge_of(signal), randomness(root_seed, name, signal)
                scores = outcome(attack, signal, knowledge, rng, details=True).scores
            yield name, loaded.of(MEMBER, NONMEMBER), np.where(np.isnan(scores), -np.inf, scores)


@contextmanager
def named(files: Sequence[str]) -> Iterator[None]:
    """Name the files of models of the attacker in an error about them, raised inside the block.

    Raises:
        KnowledgeError: what is wrong with the models, after the names of their files.
    """
    try:
        yield
    except KnowledgeError as error:
        if not files:
            raise
        more = f" and {len(files) - MOST_NAMED} more" if len(files) > MOST_NAMED else ""
        raise error.within(", ".join(files[:MOST_NAMED]) + more) from None


class AttackersModels:
    """All models of the attacker, and which of them an attack on one target model may use."""

    def __init__(
        self,
        shadows: Iterable[Path | str] = (),
        references: Iterable[Path | str] = (),
        distilled: Iterable[Path | str] = (),
        leave_one_out: Iterable[Path | str] = (),
        reference_arm: str | None = None,
    ) -> None:
        """Read the files; those of losses when they are needed.

        Args:
            shadows: signal files of the shadow models of the same arms and replicates as the target models.
            references: files of the losses of reference models.
            distilled: files of the losses of models distilled from the target models.
            leave_one_out: files of the losses of models that leave one record out; of no record where members are
                fewer.
            reference_arm: the arm whose reference models to use. None: the IID arm of the target's arm, where there are
                such models, else its own. Draws of a non-IID arm would separate members from non-members by
                themselves: all its training sets come from where the members do.

        Raises:
            DataError: one is absent or damaged, or holds no shadow models in the place of some.
        """
        shadows, references, distilled = list(shadows), list(references), list(distilled)
        self._files = [str(path) for path in (*shadows, *references, *distilled)]
        by_split: defaultdict[tuple[str, int], list[Signal]] = defaultdict(list)
        for path in shadows:
            for signal in load_signals(path):
                if signal.card.role != "shadow":
                    raise made(path).error(f"it holds a model of the role {signal.card.role!r}, no shadow model")
                by_split[signal.card.split].append(signal)
        # Tuples, made once: an attack may keep by their identity what it learnt from them.
        self._shadows = {split: tuple(signals) for split, signals in by_split.items()}
        self._references = _Stored(references, lambda card: card.arm)
        self._distilled = _Stored(distilled, lambda card: card.target)
        self._leave_one_out = list(leave_one_out)
        self._chosen_arm = reference_arm

    def named(self) -> AbstractContextManager[None]:
        """Name the files in an error about the models, raised inside the block."""
        return named(self._files)

    @property
    def shadows(self) -> list[Knowledge]:
        """All sets of shadow models, one for each arm and replicate."""
        return [Knowledge(shadows=signals) for signals in self._shadows.values()]

    def alike(self, target: Signal) -> bool:
        """Return whether its reference models were drawn and trained as the target was: in its arm, at its epsilon."""
        arm, epsilon = target.card.arm, target.card.epsilon
        references = self._references.of(arm) if self._reference_arm(arm) == arm else None
        return references is not None and epsilon in _epsilons(references)

    def _reference_arm(self, arm: str) -> str:
        """Return the arm whose reference models are used against targets of an arm."""
        if self._chosen_arm is not None:
            return self._chosen_arm
        return arm + IID_SUFFIX if arm + IID_SUFFIX in self._references else arm

    @cached_property
    def _without_one_record(self) -> list[tuple[str, Losses]]:
        return [(str(path), part) for path in self._leave_one_out for part in load_losses(path) if len(part.records)]

    def without_one_record(self, target: Signal) -> list[tuple[str, Losses]]:
        """Return the models that leave one record of a target model out, with the files that they are in."""
        return [(path, part) for path, part in self._without_one_record if part.cards[0].target == target.card.target]

    def knowledge_of(self, target: Signal) -> Knowledge:
        """Return the models that help against `target`, without those that leave one record out.

        Raises:
            KnowledgeError: they were trained on other data.
        """
        arm, epsilon = target.card.arm, target.card.epsilon
        references = distilled = None
        if (trained := self._references.of(self._reference_arm(arm))) is not None:
            # Models without privacy serve against targets of every epsilon, where no others were trained.
            wanted = epsilon if epsilon in _epsilons(trained) else "inf"
            references = trained.on(target.records, np.array([card.epsilon == wanted for card in trained.cards]))
        if (students := self._distilled.of(target.card.target)) is not None:
            distilled = students.on(target.records, np.ones(len(students.cards), dtype=bool))
        shadows = () if target.card.replicate is None else self._shadows.get(target.card.split, ())
        sets = [models.cards for models in (trained, students) if models is not None]
        for cards in (*sets, [shadow.card for shadow in shadows]):
            _check_data(target, cards)
        return Knowledge(shadows=shadows, references=references, distilled=distilled)


class _Stored:
    """Models in files, of which one set at a time is in memory: all of them would be gigabytes at a paper's scale."""

    def __init__(self, files: Iterable[Path | str], key_of: Callable[[ModelCard], Hashable]) -> None:
        """Look which sets there are: those of one key belong together, whatever file they are in."""
        self._places: defaultdict[Hashable, list[tuple[Path | str, int]]] = defaultdict(list)
        for path in files:
            for place, cards in enumerate(load_cards(path)):
                self._places[key_of(cards[0])].append((path, place))
        self._key: Hashable = None
        self._loaded: Losses | None = None

    def __contains__(self, key: Hashable) -> bool:
        """Return whether there are models of a key."""
        return key in self._places

    def of(self, key: Hashable) -> Losses | None:
        """Return the models of a key; None where there are none."""
        if key not in self:
            return None
        if key != self._key:
            self._key = self._loaded = None
            self._loaded = together(part for path, place in self._places[key] for part in load_losses(path, [place]))
            self._key = key
        return self._loaded


def _check_data(target: Signal, cards: Iterable[ModelCard]) -> None:
    """Refuse the attacker's models of a run that were trained on other data than its target models."""
    of_run = [card.meaning for card in (target.card, *cards) if len(card.meaning) > 1]  # outputs of users have one word
    if len({meaning[0] for meaning in of_run}) > 1:
        raise misplaced("they were trained on other data than the target model")


def _epsilons(models: Losses) -> set[str]:
    return {card.epsilon for card in models.cards}


def randomness(root_seed: int, attack: str, target: Signal) -> np.random.Generator:
    """Return the source of randomness of an attack, by its name, on one model."""
    return np.random.default_rng(derive_seed(root_seed, "attack", attack, *target.card.meaning))
