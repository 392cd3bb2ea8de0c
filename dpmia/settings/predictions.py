"""Settings of predictions only: a model that cannot be trained again, known by its predictions."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from dpmia.settings import names
from dpmia.settings.attackers import AttackSettings, each_of_a_kind, require_references
from dpmia.settings.base import Epsilon, Name, PathOfFile, Settings

#: What attacks may use of what a table of predictions can hold.
GIVEN = {"references", "population"}


class Predictions(Settings):
    """Predictions of one model on known members and non-members, and perhaps those of reference models.

    Tables of CSV (plain or gzipped) or Parquet, one row for each record.
    """

    path: PathOfFile
    """Table with the predictions of the model: label, member, and one column for each class."""
    label: str = "label"
    """Column with the true class of each record."""
    member: str = "member"
    """Column that says whether the record was trained on: `yes` or `no`, or `population` for what an attacker has."""
    classes: Annotated[dict[str, str], Field(min_length=2)]
    """Label -> column with the model's output for it. Quote `"yes"` and `"no"`, which YAML takes for true and false."""
    scale: Literal["probabilities", "logits"] = "probabilities"
    """What the columns hold; rows of probabilities add up to 1."""
    references: list[PathOfFile] = []
    """Tables of the same rows in the same order, one for each reference model; `member` says what that one was trained
    on."""
    same_pool: bool | None = None
    """Whether members and non-members were drawn from one pool at random, as in an IID arm; null: not known."""
    epsilon: Epsilon = float("inf")
    """Epsilon of the model, for the report; it is not checked."""
    attacks: Annotated[dict[Name, AttackSettings], Field(min_length=1)]
    """Attacks by name, of those that train no models."""

    @field_validator("classes", mode="before")
    @classmethod
    def _labels_are_texts(cls, classes: Any) -> Any:
        if isinstance(classes, dict) and any(isinstance(label, bool) for label in classes):
            raise ValueError("a label is true or false. Put yes and no in quotes: YAML reads them as true and false")
        return classes

    @field_validator("attacks")
    @classmethod
    def _each_of_a_kind(cls, attacks: dict[str, AttackSettings]) -> dict[str, AttackSettings]:
        return each_of_a_kind(attacks)

    @model_validator(mode="after")
    def _each_column_once(self) -> Predictions:
        named = [("label", self.label), ("member", self.member)]
        named += [(f"classes.{label}", column) for label, column in self.classes.items()]
        first: dict[str, str] = {}
        for key, column in named:
            if column in first:
                raise ValueError(f"{first[column]} and {key} are the same column {column!r}. Name one for each")
            first[column] = key
        return self

    @model_validator(mode="after")
    def _fits_together(self) -> Predictions:
        for name, attack in self.attacks.items():
            uses = set(names.ATTACKS[attack.kind].uses)
            if uses - GIVEN:
                raise ValueError(
                    f"attack {name!r} cannot be combined with predictions: it uses {', '.join(sorted(uses - GIVEN))}, "
                    "and no model is trained here"
                )
            if "references" in uses and not self.references:
                raise ValueError(f"attack {name!r} needs the key references")
            require_references(name, attack, len(self.references))
            if attack.reference_arm is not None or attack.epsilons is not None:
                raise ValueError(f"attack {name!r} does not take reference_arm and epsilons here: there is one model")
        return self
