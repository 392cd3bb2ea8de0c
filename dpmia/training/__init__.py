"""Training of many small models: engines, their random streams, and the privacy they spend."""

from __future__ import annotations

#: name in the settings -> engine. Imported only when used (see `dpmia.registry.load`).
ENGINES = {
    "opacus": "dpmia.training.opacus:OpacusEngine",
    "plain": "dpmia.training.plain:PlainEngine",
    "stacked": "dpmia.training.stacked:StackedEngine",
}
