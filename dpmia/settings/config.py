"""Settings of a run: `config.yaml`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from dpmia.common.epsilon import format_epsilon
from dpmia.common.errors import ConfigError
from dpmia.privacy.plan_request import RANGES, PlanRequest, Relation
from dpmia.settings import names
from dpmia.settings.base import Epsilon, OneOf, Scale, Settings, no_truth_value


class Planner(Settings):
    """What `snakemake plan` plans: a private training run that bounds the precision of attacks (Thudi et al.)."""

    bound: Annotated[float, Field(**RANGES["bound"])] = PlanRequest.bound
    """Largest precision of an attack: the probability that a record predicted a member is one."""
    records: Annotated[int, Field(**RANGES["records"])] = PlanRequest.records
    """Records there are; a part of them, drawn at random, is trained on."""
    batch_size: Annotated[int, Field(**RANGES["batch_size"])] = PlanRequest.batch_size
    """Expected number of records in a batch."""
    epochs: Annotated[int, Field(**RANGES["epochs"])] = PlanRequest.epochs
    """Passes over the training set."""
    delta: Annotated[float, Field(**RANGES["delta"])] = PlanRequest.delta
    """Delta of (epsilon, delta)."""
    relation: Relation = PlanRequest.relation
    """`add_remove`: each record is drawn on its own; `replace_one`: a fixed number is drawn."""
    acceptance: Annotated[float, Field(**RANGES["acceptance"])] = PlanRequest.acceptance
    """The bound holds for attacks that find at least this share of the members."""
    unlearning: Annotated[float, Field(**RANGES["unlearning"])] = PlanRequest.unlearning
    """Least probability that none of the records to be deleted was trained on."""

    @model_validator(mode="after")
    def _fits_together(self) -> Planner:
        try:
            self.request()
        except ConfigError as error:
            raise error.within("config") from None
        return self

    def request(self) -> PlanRequest:
        """Return what the planner is given.

        Raises:
            ConfigError: delta is not less than acceptance.
        """
        return PlanRequest(**self.model_dump())


#: What `snakemake audit` may limit.
LIMITED = ("advantage", "auc", "tpr_at_1pct_fpr", "tpr_at_0.1pct_fpr", "advantage_excess", "auc_excess")

Limit = Annotated[Annotated[float, Field(ge=0, le=1)], BeforeValidator(no_truth_value)]


class Audit(Settings):
    """Limits of `snakemake audit`: it exits with an error, after its report is written, if models may exceed one."""

    fail_above: dict[Annotated[str, OneOf(LIMITED)], Limit] = {}
    """Metric -> the largest value that the mean of any attack may have, in any arm. Confidence limits decide."""
    epsilons: list[Epsilon] | None = None
    """Epsilons of the models that may be released, which the limits are for. Default: all."""


_Files = Annotated[list[str], Field(min_length=1)]


def _listed(value: Any) -> Any:
    """Return one file as a list of it."""
    return [value] if isinstance(value, str) else value


def _with_nulls(value: Any) -> Any:
    """Return settings with None for the text "null", which is what `--config` makes of it."""
    if isinstance(value, dict):
        return {key: _with_nulls(below) for key, below in value.items()}
    return None if value == "null" else value


class Config(Settings):
    """`config.yaml`: data, scale and seed of a run."""

    data: Literal["synthetic", "real"] = "synthetic"
    """`synthetic` generates the data and needs no network; `real` takes the publishers' files."""
    scale: Scale = "laptop"
    """How much is run: `smoke` takes seconds an experiment, `laptop` minutes, `night` a night on two
    cores, `paper` is the papers' own size."""
    data_mirror: str | None = None
    """Folder with raw files that were fetched before (`real` only); what is missing there is downloaded."""
    download: bool = True
    """Whether raw files are downloaded (`real` only); else `all` skips experiments with neither data nor tables."""
    seed: Annotated[int, Field(ge=0, lt=2**128)] = 1
    """The root of all randomness: the same seed gives the same numbers."""
    engine: Annotated[str, OneOf(names.ENGINES)] | None = None
    """Engine that trains the networks of all experiments; where null, each experiment names its own. Experiments with
    engine `command`, `lightning` or `scikit_learn` keep theirs."""
    experiments: Annotated[_Files, BeforeValidator(_listed, json_schema_input_type=_Files | str)] = [
        "experiments/*.yaml"
    ]
    """Files that say what each paper runs, or one of them; `*` stands for any name."""
    epsilons: Annotated[list[Epsilon], Field(min_length=1)] | None = None
    """Epsilons of all experiments that train private models, in place of their own. Default: those of each.
    Experiments with `precision_budgets` keep theirs; `inf` counts only where an experiment trains without privacy, too.
    Figure 12 of Thudi et al. needs `inf`."""
    budget: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Core-hours that `snakemake decide` may add to a run in all, counted as `snakemake forecast` counts them."""
    plan: Planner = Planner()
    """What `snakemake plan` plans."""
    audit: Audit = Audit()
    """Limits of `snakemake audit`."""

    @model_validator(mode="before")
    @classmethod
    def _null_on_the_command_line(cls, given: Any) -> Any:
        return _with_nulls(given)

    @field_validator("epsilons")
    @classmethod
    def _each_epsilon_once(cls, epsilons: list[float] | None) -> list[float] | None:
        if epsilons is not None and len(set(epsilons)) < len(epsilons):
            raise ValueError(f"{', '.join(map(format_epsilon, epsilons))}: an epsilon is given twice. Remove one")
        return epsilons
