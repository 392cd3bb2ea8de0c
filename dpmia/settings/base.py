"""What all groups of settings share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    ValidationInfo,
    field_validator,
)
from pydantic_core import CoreSchema, core_schema

from dpmia.common.epsilon import parse_epsilon
from dpmia.common.limits import DELTAS
from dpmia.common.plugins import FILE
from dpmia.common.registry import check_part_of_file

Epsilon = Annotated[float, BeforeValidator(parse_epsilon)]
Delta = Annotated[float, Field(ge=DELTAS[0], le=DELTAS[1])]
#: In the range of 32 bits, in which models are trained, with room for products.
Positive = Annotated[float, Field(gt=0, le=1e30, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, le=1e30, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=1)] | Literal["all"]
Size = Count | Annotated[float, Field(gt=0, lt=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
ArmName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.]*$")]
#: What 64 bits hold: no library counts further.
LARGEST = 2**63 - 1
Scale = Literal["smoke", "laptop", "night", "paper"]
#: From the smallest on.
SCALES: tuple[Scale, ...] = get_args(Scale)


@dataclass(frozen=True, eq=False)
class OneOf:
    """The mark of a string that is one of some names, `Annotated[str, OneOf(names)]`: a `Literal` made at run time.

    Attributes:
        names: the names.
        files: whether a part in a file may stand in their place, as `file.py:Object`.
    """

    names: Iterable[str]
    files: bool = False

    def __get_pydantic_core_schema__(self, source: type[str], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a `Literal` of the names."""
        literal = core_schema.literal_schema(list(self.names))
        return core_schema.no_info_wrap_validator_function(_part_of_file, literal) if self.files else literal


def _part_of_file(value: Any, named: Callable[[Any], Any]) -> Any:
    """Return the name of a part in a file, or what `named` makes of another name.

    Raises:
        ValueError: there is no such file, or no such object in it.
    """
    match = FILE.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        return named(value)
    check_part_of_file(match["file"], match["object"])
    return value


class Settings(BaseModel):
    """What all groups of settings share: no unknown keys, no change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if cls.model_fields[info.field_name or ""].annotation not in (bool, bool | None):
            for item in value if isinstance(value, list) else [value]:
                no_truth_value(item)
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _integers_have_64_bits(cls, value: Any, info: ValidationInfo) -> Any:
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, int) and abs(item) > LARGEST and info.field_name != "seed":
                raise ValueError(f"{item} is not an integer of at most {LARGEST}")
        return value


def _without_braces(path: str) -> str:
    if "{" in path or "}" in path:
        raise ValueError(f"{path!r} holds braces, which the workflow takes for the name of a part. Rename the file")
    return path


#: Path of a user's file.
PathOfFile = Annotated[str, AfterValidator(_without_braces)]


def no_truth_value(value: Any) -> Any:
    """Return a value that is neither true nor false, which would pass for 1 and 0.

    Raises:
        ValueError: it is one of them.
    """
    if isinstance(value, bool):
        raise ValueError(f"{str(value).lower()} is not valid here. Put yes and no in quotes where they are text")
    return value


def require_keys(what: str, given: set[str], needed: set[str], allowed: set[str]) -> None:
    """Check which keys are given.

    Args:
        what: what the keys belong to, for the message.
        given: keys that are set.
        needed: keys that must be.
        allowed: keys that may be, too.

    Raises:
        ValueError: a key is missing, or one is given that does not belong here.
    """
    missing, unknown = sorted(needed - given), sorted(given - needed - allowed)
    problems = [f"needs {', '.join(missing)}"] * bool(missing) + [f"does not take {', '.join(unknown)}"] * bool(unknown)
    if problems:
        valid = ", ".join(sorted(needed | allowed)) or "none"
        raise ValueError(f"{what} {' and '.join(problems)}. Valid keys: {valid}")
