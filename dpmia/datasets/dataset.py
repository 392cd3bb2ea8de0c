"""A prepared data set: features for models, labels, and the attributes by which groups are made."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dpmia.common.files import whole_file
from dpmia.common.reading.arrays import arrays, header_array
from dpmia.common.reading.place import Stage
from dpmia.common.reading.source import made
from dpmia.formats.provenance import Provenance

#: Files stand in this folder, each under the id of its data set.
_PREPARED = Stage({"prepared": 1}, "the records")


@dataclass(frozen=True)
class Dataset:
    """Features `x`, labels `y`, and attributes that no model sees.

    Attributes:
        name: the data set's name in the settings.
        x: shape (records, features): float32, encoded and scaled; or uint8, the pixels of images (see `inputs`).
        y: shape (records,): int64, class numbers from 0; or float32, numbers to predict, where there are no classes.
        features: names of the columns of `x`.
        classes: names of the classes, by number; none where a number is predicted.
        attributes: name -> strings of shape (records,), kept out of `x`: hospital, school, sex.
        provenance: the files that the records come from, and whether they are synthetic.
        rows: shape (records,): int64, where each record stands in the user's own file; None for published data.
        image: shape of the images that the rows of `x` are: channels, height and width; of other records that are no
            flat rows, theirs; None for tables.
    """

    name: str
    x: np.ndarray
    y: np.ndarray
    features: tuple[str, ...]
    classes: tuple[str, ...]
    attributes: dict[str, np.ndarray] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    image: tuple[int, ...] | None = None
    rows: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Refuse arrays that do not fit together, whoever made them."""
        records = len(self.x)
        shapes = {"y": self.y.shape, **{name: values.shape for name, values in self.attributes.items()}}
        if self.x.shape != (records, len(self.features)) or any(shape != (records,) for shape in shapes.values()):
            raise ValueError(f"{self.name}: x has shape {self.x.shape}, {len(self.features)} names, and {shapes}")
        if self.image is not None and math.prod(self.image) != len(self.features):
            raise ValueError(f"{self.name}: images of {self.image} with {len(self.features)} features")
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise ValueError(f"{self.name}: x or y holds values that are not finite")
        if self.x.dtype not in (np.float32, np.uint8) or self.y.dtype not in (np.int64, np.float32):
            raise ValueError(f"{self.name}: x of type {self.x.dtype}, y of type {self.y.dtype}")
        if not isinstance(self.provenance, Provenance):
            raise TypeError(f"{self.name}: provenance is of type {type(self.provenance).__name__}, not Provenance")
        if not all(isinstance(text, str) for text in (*self.features, *self.classes)):
            raise ValueError(f"{self.name}: a feature or class has a name that is no text")
        if (self.y.dtype.kind == "i") != bool(self.classes):
            raise ValueError(f"{self.name}: y of type {self.y.dtype} with {len(self.classes)} classes")
        if records and self.classes and not 0 <= self.y.min() <= self.y.max() < len(self.classes):
            raise ValueError(f"{self.name}: labels {self.y.min()}..{self.y.max()} for {len(self.classes)} classes")

    def __len__(self) -> int:
        return len(self.x)

    def inputs(self, rows: np.ndarray | slice = slice(None)) -> np.ndarray:
        """Return the features of some records as models take them: float32, pixels between 0 and 1."""
        chosen = self.x[rows]
        if chosen.dtype != np.uint8:
            return chosen
        pixels = chosen.astype(np.float32)
        pixels /= 255  # in place: of large data sets there is no room for another copy
        return pixels

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the records (not of names or origin): equal data, equal splits."""
        digest = hashlib.sha256()
        for array in (self.x, self.y, *(self.attributes[name] for name in sorted(self.attributes))):
            digest.update(f"{array.shape}{array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:32]

    def save(self, path: Path | str) -> None:
        """Write the data set as one compressed `.npz` that opens without pickles."""
        names = sorted(self.attributes)
        header = {
            "name": self.name,
            "features": self.features,
            "classes": self.classes,
            "attributes": names,
            "provenance": self.provenance.plain(),
            "image": self.image,
            "fingerprint": self.fingerprint,
            "place": _PREPARED.place(path),
        }
        columns: dict[str, Any] = {f"attribute_{i}": self.attributes[name] for i, name in enumerate(names)}
        if self.rows is not None:
            columns["rows"] = self.rows
        with whole_file(path) as part:
            np.savez_compressed(part, header=header_array(header), x=self.x, y=self.y, **columns)

    @classmethod
    def load(cls, path: Path | str) -> Dataset:
        """Read what `save` wrote.

        Raises:
            DataError: the file is absent or damaged.
        """
        with arrays(made(path)) as file:
            header = file.header()
            _PREPARED.check(file.source, header.get("place"))
            with file.source.faults("it is no prepared data set"):
                given = header["provenance"]
                with file.source.faults("its provenance is damaged", ", header"):
                    provenance = Provenance.from_plain(given)
                file.only({"header", "x", "y", "rows", *(f"attribute_{i}" for i in range(len(header["attributes"])))})
                dataset = cls(
                    name=header["name"],
                    features=tuple(header["features"]),
                    classes=tuple(header["classes"]),
                    x=file["x"],
                    y=file["y"],
                    attributes={
                        name: file.array(f"attribute_{i}", "text", (None,))
                        for i, name in enumerate(header["attributes"])
                    },
                    provenance=provenance,
                    image=header["image"] and tuple(header["image"]),
                    rows=file.rows("rows") if "rows" in file else None,
                )
                if header.get("fingerprint", dataset.fingerprint) != dataset.fingerprint:  # earlier versions lack it
                    raise file.source.error("its records are not those that were prepared")
                return dataset
