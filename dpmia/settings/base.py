"""What all groups of settings share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
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

Epsilon = Annotated[float, BeforeValidator(parse_epsilon)]
Count = Annotated[int, Field(ge=1)] | Literal["all"]
Size = Count | Annotated[float, Field(gt=0, lt=1)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
ArmName = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.]*$")]
Scale = Literal["smoke", "laptop", "paper"]


@dataclass(frozen=True, eq=False)
class OneOf:
    """The mark of a string that is one of some names, `Annotated[str, OneOf(names)]`: a `Literal` made at run time."""

    names: Iterable[str]

    def __get_pydantic_core_schema__(self, source: type[str], handler: GetCoreSchemaHandler) -> CoreSchema:
        """Return the schema of a `Literal` of the names."""
        return core_schema.literal_schema(list(self.names))


class Settings(BaseModel):
    """What all groups of settings share: no unknown keys, no change after reading."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _true_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) and cls.model_fields[info.field_name or ""].annotation is not bool:
            raise ValueError("a value other than true and false; yes and no in quotes, which YAML takes for these")
        return value
