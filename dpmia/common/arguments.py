"""The one check of arguments of the library's own functions; what users type is checked with remedies elsewhere."""

from __future__ import annotations

import numpy as np


def require(holds: bool | np.bool, wanted: str, value: object) -> None:
    """Refuse the value of an argument unless it is what is wanted.

    Args:
        holds: whether it is.
        wanted: what, as in "a prior in (0, 1)".
        value: of the argument.

    Raises:
        ValueError: it is not.
    """
    if not holds:
        raise ValueError(f"expected {wanted}, got {value}")
