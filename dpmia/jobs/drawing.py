"""Jobs that prepare data sets and draw who is a member."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from dpmia.common.plain import PlainData
from dpmia.jobs.own_reading import OwnReading

#: In the place of a number of records: all there are.
ALL = "all"

#: Arguments of drawing functions that had another name: seeds keep the old one, so that numbers stay.
SEED_NAMES = {"queries": "asked"}


@dataclass(frozen=True)
class Canaries(PlainData):
    """Worst-case records in the place of the first ones of a data set: how many, and of which kinds."""

    count: int
    kinds: list[str]


@dataclass(frozen=True)
class PrepareJob(PlainData):
    """How a data set is encoded.

    Attributes:
        module: that reads and encodes it.
        options: of its function `encode`.
        reading: of a file of one's own; None for published data.
        canaries: in the place of its first records; None for none.
    """

    module: str
    options: dict[str, Any]
    reading: OwnReading | None = None
    canaries: Canaries | None = None


@dataclass(frozen=True)
class ClusterJob(PlainData):
    """How groups are made by clustering.

    Attributes:
        count: clusters for each class.
        pairing: which clusters of different classes form one group: `nearest` or `farthest`.
        seed: of k-means.
        restarts: of k-means; the best counts.
    """

    count: int
    pairing: str
    seed: int
    restarts: int


@dataclass(frozen=True)
class ArmDraw(PlainData):
    """How the records of an arm are drawn: its meaning, from which seeds follow, whatever its name.

    Attributes:
        kind: of the membership experiment.
        groups: how records are grouped: an attribute, how attributes are merged or clustered; None for one group.
        draw: arguments of the drawing function.
        iid: whether members and non-members are then shuffled.
    """

    kind: str
    groups: str | dict[str, Any] | None
    draw: dict[str, Any]
    iid: bool

    @property
    def joins_at(self) -> float | None:
        """The probability with which each record joins on its own; None where the size of the training set is fixed."""
        return float(self.draw["rate"]) if self.kind == "bernoulli" else None

    @property
    def drawn_by(self) -> dict[str, Any]:
        """The arguments of the drawing function under the names from which seeds follow."""
        return {SEED_NAMES.get(name, name): value for name, value in self.draw.items()}

    def meaning(self) -> dict[str, Any]:
        """Return the arm as plain data from which seeds follow."""
        return self.plain() | {"draw": self.drawn_by}


@dataclass(frozen=True)
class SplitJob(PlainData):
    """Which splits to draw for one block.

    Attributes:
        draw: name of the drawing function.
        arms: by name, IID arms included.
        replicates: of the block.
        batch_sizes: by arm, without IID arms: batches that its training sets must hold.
    """

    draw: str
    arms: dict[str, ArmDraw]
    replicates: list[int]
    batch_sizes: dict[str, int]


@dataclass(frozen=True)
class BatchLimits(PlainData):
    """Which batches must fit into which training sets.

    Attributes:
        arms: by name.
        batch_sizes: by arm.
        shadows: number of shadow models of each target model; None for none.
        leave_one_out: arms whose models are also trained without one record.
        own_sizes: arms that have a batch size of their own.
        raised: by arm, where the key stands that makes its training sets larger; without arms that have none.
        most: largest number of members that a share gives.
    """

    arms: dict[str, ArmDraw]
    batch_sizes: dict[str, int]
    shadows: int | None = None
    leave_one_out: tuple[str, ...] = ()
    own_sizes: tuple[str, ...] = ()
    raised: dict[str, str] = field(default_factory=dict)
    most: int | None = None

    def key(self, arm: str) -> str:
        """Return where the size of the batches of an arm stands in the settings of its experiment."""
        return f"arms.{arm}.training.batch_size" if arm in self.own_sizes else "training.batch_size"


def records_wanted(wanted: int | float | str, there: int, most: int | None) -> int:
    """Return a number of records: as given, all, or by its share in (0, 1), then `most` at most."""
    if wanted == ALL:
        return there
    if isinstance(wanted, float) and wanted < 1:
        share = int(wanted * there + 1e-9)  # 0.29 of 100 is 28.999999999999996
        return share if most is None else min(share, most)
    return int(wanted)
