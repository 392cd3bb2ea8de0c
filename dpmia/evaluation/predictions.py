"""Predictions only: tables of model outputs are attacked, and become the files that a run keeps of its models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmia.attacks.base import Attack, Knowledge, outcome
from dpmia.common.errors import DataError
from dpmia.common.probabilities import WrongOutputsError, logits_of
from dpmia.datasets.own.files import Fields, fields_of, is_number, known_column, shortened, why_no_number
from dpmia.evaluation.accuracy import accuracy_rows
from dpmia.evaluation.attacks import named, outcome_rows, randomness
from dpmia.evaluation.summary import LIMITS, UNCERTAINTY, cells, replicates_table, summary_table
from dpmia.formats.losses import Losses, digest_of, save_losses
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import tidy
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal, cross_entropy, save_signals
from dpmia.formats.tables import table_of
from dpmia.jobs.attacking import PredictionsJob
from dpmia.metrics.intervals import Estimate
from dpmia.metrics.record_errors import record_estimates

ARM = "given"

#: What the column of members may hold.
MEMBERSHIPS = {
    **dict.fromkeys(("yes", "true", "1", "1.0", "member", "in"), MEMBER),
    **dict.fromkeys(("no", "false", "0", "0.0", "nonmember", "non-member", "out"), NONMEMBER),
    "population": POPULATION,
}


@dataclass(frozen=True)
class GivenModel:
    """A model known by its outputs only.

    Attributes:
        target: its outputs.
        references: losses of the attacker's own models on the same records; None without any.
        files: the tables that hold the outputs of these.
        provenance: of the table of the model.
    """

    target: Signal
    references: Losses | None
    files: list[str]
    provenance: Provenance

    def save(self, signals: Path | str, references: Path | str) -> None:
        """Write the files that hold target models and reference models in a run.

        Args:
            signals: file to write the outputs of the model to.
            references: file to write the losses of the reference models to, of none where there are none.
        """
        save_signals(signals, [self.target], self.provenance)
        save_losses(references, [self.references] if self.references else [], self.provenance)


def read_predictions(job: PredictionsJob) -> GivenModel:
    """Read the tables of a model and of the attacker's.

    Raises:
        DataError: a table cannot be read, a column or a value is wrong, or tables do not fit together.
    """
    fields = fields_of(Path(job.path))
    logits, labels = _outputs(fields, job)
    part = _parts(fields, job.member)
    for wanted, word in ((MEMBER, "member"), (NONMEMBER, "non-member")):
        if not (part == wanted).any():
            given = "was trained on" if wanted == MEMBER else "was not trained on"
            remedy = f"Add records that the model {given}"
            raise DataError(f"{fields.file}, column {job.member!r}", f"there is no {word}", remedy)
    if job.population and not (part == POPULATION).any():
        problem = f"attack {job.population[0]!r} needs records marked 'population', and there are none"
        remedy = "Mark the records that an attacker has, or remove the attack."
        raise DataError(f"{fields.file}, column {job.member!r}", problem, remedy)
    card = ModelCard(
        arm=ARM,
        iid=job.same_pool,
        epsilon=job.epsilon,
        role="target",
        meaning=[fields.provenance.files[0].sha256],
        replicate=0,
        compares="replace_one",
    )
    target = Signal(card, _rows(fields), labels, part, logits)
    losses = _losses(job, fields, logits, card) if job.references else None
    return GivenModel(target, losses, list(job.references), fields.provenance)


def memberships(table: Path, references: Sequence[Path], column: str) -> tuple[np.ndarray, np.ndarray]:
    """Return what a table of predictions, and those of reference models, say of the membership of records.

    Returns:
        Of the model, uint8, shape (records,): MEMBER, NONMEMBER or POPULATION; and whether each reference model was
        trained on them, bool, shape (models, records).

    Raises:
        DataError: a table cannot be read, lacks the column or has other rows, or a value is wrong.
    """
    of_model = _parts(fields_of(table), column)
    trained_on = np.zeros((len(references), len(of_model)), dtype=bool)
    for number, file in enumerate(references):
        membership = _parts(fields_of(file), column)
        if len(membership) != len(of_model):
            problem = f"it has {len(membership)} rows, and {table} has {len(of_model)}"
            raise DataError(str(file), problem, "Save the same rows in the same order")
        trained_on[number] = membership == MEMBER
    return of_model, trained_on


def tables(
    name: str, attacks: Mapping[str, Attack], given: GivenModel, root_seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Attack the one model, and return what `replicates_table` and `summary_table` return.

    Intervals are over records: there is one model, and no replicates.

    Raises:
        KnowledgeError: an attack cannot do with the reference models; the message names their tables.
    """
    measured = accuracy_rows(name, [given.target])
    estimates: dict[str, dict[str, Estimate]] = {}
    for attack_name, attack in attacks.items():
        target = given.target.of(MEMBER, NONMEMBER, POPULATION)  # for each: an attack may change its arrays
        knowledge = Knowledge()
        if given.references is not None:
            every = np.ones(len(given.references.cards), dtype=bool)
            knowledge = Knowledge(references=given.references.on(target.records, every))
        with named(given.files):
            attack_outcome = outcome(attack, target, knowledge, randomness(root_seed, attack_name, target))
        measured += tidy(outcome_rows(name, attack_name, attack, target, attack_outcome))
        measures = (attack_outcome.scores, attack_outcome.decisions, attack_outcome.is_member)
        estimates[attack_name] = record_estimates(*measures, oracle=attack.oracle)
    rows = replicates_table(table_of(measured))
    summary = summary_table(rows)
    for attack_name, of_metrics in estimates.items():
        for metric, estimate in of_metrics.items():
            (row,) = summary.index[(summary["attack"] == attack_name) & (summary["metric"] == metric)]
            summary.loc[row, [*LIMITS, "replicates", *UNCERTAINTY]] = cells(estimate, metric)
    return rows, summary


def _rows(fields: Fields) -> np.ndarray:
    """Return the rows of the file, int64: they are the records' numbers, so that a report can name them."""
    return np.asarray(fields.rows, dtype=np.int64)


def _outputs(fields: Fields, job: PredictionsJob) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits, float32, and the class numbers of all rows."""
    known_column(fields, job.label, "label")
    for column in job.classes.values():
        known_column(fields, column, "classes")
    numbers = np.stack([_numbers(fields, column) for column in job.classes.values()], axis=1)
    code = {label: number for number, label in enumerate(job.classes)}
    for row, text in zip(fields.rows, fields.columns[job.label], strict=True):
        if text not in code:
            where = f"{fields.file}, row {row}, column {job.label!r}"
            remedy = (
                "Write labels as classes are named, or name the column of each class: p_<class>, --classes, or the key "
                "classes"
            )
            raise DataError(
                where, f"{text!r} is none of the classes {shortened(code)}", remedy if text else "Leave out the row"
            )
    try:
        logits = logits_of(numbers, job.scale)
    except WrongOutputsError as error:
        if error.row is None:
            remedy = error.remedy("Leave out --logits (in settings: scale: probabilities)")
            raise DataError(fields.file, str(error), remedy) from error
        remedy = error.remedy("Name the columns of all classes; of logits, add --logits (in settings: scale: logits)")
        where = f"{fields.file}, row {fields.rows[error.row]}, columns {shortened(job.classes.values())}"
        raise DataError(where, str(error), remedy) from error
    labels = np.array([code[text] for text in fields.columns[job.label]], dtype=np.int64)
    return logits.astype(np.float32), labels


def _numbers(fields: Fields, column: str) -> np.ndarray:
    numbers = np.empty(len(fields.rows))
    for place, (row, text) in enumerate(zip(fields.rows, fields.columns[column], strict=True)):
        if not is_number(text):
            where = f"{fields.file}, row {row}, column {column!r}"
            raise DataError(where, f"{text!r} {why_no_number(text)}", "Correct it, or leave out the row")
        numbers[place] = float(text)
    return numbers


def _parts(fields: Fields, column: str) -> np.ndarray:
    known_column(fields, column, "member")
    parts = np.empty(len(fields.rows), dtype=np.uint8)
    for place, (row, text) in enumerate(zip(fields.rows, fields.columns[column], strict=True)):
        if text.lower() not in MEMBERSHIPS:
            where = f"{fields.file}, row {row}, column {column!r}"
            remedy = "Write yes (true, 1) for members, no (false, 0) for others; population for what the attacker has"
            raise DataError(where, f"{text!r} is not yes, no or population", remedy)
        parts[place] = MEMBERSHIPS[text.lower()]
    return parts


def _losses(job: PredictionsJob, target: Fields, of_target: np.ndarray, card: ModelCard) -> Losses:
    losses, trained_on = [], []
    seen = {digest_of(of_target): "the attacked model"}
    for path in job.references:
        fields = fields_of(Path(path))
        known_column(fields, job.label, "label")
        if tuple(fields.columns[job.label]) != tuple(target.columns[job.label]):
            problem = f"the labels of its {len(fields.rows)} rows differ from those of {target.file}"
            raise DataError(fields.file, problem, "Save the same rows in the same order")
        logits, classes = _outputs(fields, job)
        digest = digest_of(logits)
        if other := seen.get(digest):
            raise DataError(fields.file, f"its outputs are those of {other}", "Leave it out of the references")
        seen[digest] = path
        losses.append(cross_entropy(logits, classes))
        trained_on.append(_parts(fields, job.member) == MEMBER)
    cards = [replace(card, role="reference", number=number) for number in range(len(losses))]
    return Losses(cards, _rows(target), np.stack(losses), np.stack(trained_on))
