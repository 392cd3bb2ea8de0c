"""Membership inference attacks, what differential privacy guarantees against them, and where that ends.

The functions below are the public interface; `docs/python.md` shows each. They are imported when they are first used,
so that `import dpmia` is immediate. Their types stand in `__init__.pyi`.
"""

from importlib import import_module
from typing import Any

__version__ = "1.0.0"

#: Public name -> the module that holds it. Text, as jobs import this package and must not reach all of the library.
_MODULES = {
    "MIPEstimator": "dpmia.mip.estimator",
    "attack": "dpmia.api.attacking",
    "audit_epsilon": "dpmia.api.auditing",
    "bounds": "dpmia.api.bounding",
    "plan_noise": "dpmia.api.planning",
    "privatise": "dpmia.mip.noise",
    "split": "dpmia.api.splitting",
    "upper_bound": "dpmia.api.bounding",
}

__all__ = [
    "MIPEstimator",
    "attack",
    "audit_epsilon",
    "bounds",
    "plan_noise",
    "privatise",
    "split",
    "upper_bound",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        globals()[name] = attribute = getattr(import_module(_MODULES[name]), name)
    except ModuleNotFoundError as error:  # of the extra `train`: the core is always there
        if (error.name or "dpmia").partition(".")[0] == "dpmia":
            raise
        problem = f"dpmia.{name}: {error.name} is not installed"
        raise ImportError(f"{problem}. Type: pip install 'dpmia[train]'.") from None
    return attribute


def __dir__() -> list[str]:
    """Return the public names, imported or not."""
    return sorted({*globals(), *__all__})
