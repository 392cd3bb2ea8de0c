"""Small files of every kind that is read, and what reads them, for tests that damage them."""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import mutations
import numpy as np
import scipy.io
from model_cards import card
from synthetic_files import write_synthetic

from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.groups import group_sizes
from dpmia.datasets.own import table as own
from dpmia.evaluation.predictions import read_predictions
from dpmia.evaluation.summary import replicates_table, summary_table
from dpmia.formats.losses import Losses, load_cards, load_losses, save_losses
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import EFFECTS, MEASURED, write_rows
from dpmia.formats.signals import Signal, load_followed, load_header, load_signals, save_signals
from dpmia.formats.tables import read_table
from dpmia.jobs.attacking import PredictionsJob
from dpmia.settings.names import DATASETS
from dpmia.settings.own_data import OwnData
from dpmia.splits.split import Split, load_splits, save_splits

#: Rows that stay of a raw table.
LINES = 80
IMAGES = ("cifar10", "cifar100", "mnist", "svhn")


def arrays(rng, content):
    """Damage the arrays of an `.npz` file."""
    with np.load(io.BytesIO(content)) as archive:
        return mutations.bad_arrays(rng, dict(archive))


@dataclass(frozen=True)
class Target:
    """Files in a folder, and what is done with them.

    Attributes:
        write: writes them.
        read: reads all of them from the folder, and returns what they mean.
        damages: what may be done to one of them.
        exact: those of `damages` that must leave the meaning as it is where the file is accepted.
    """

    write: Callable[[Path], None]
    read: Callable[[Path], object]
    damages: Sequence[Callable]
    exact: Sequence[Callable]


def published(name):
    module = load(DATASETS[name])

    def write(folder):
        if name in IMAGES:
            write_images(name, folder)
            return
        write_synthetic(name, folder)
        for file in folder.iterdir():
            if file.name != "SYNTHETIC.txt":
                file.write_bytes(b"\n".join(file.read_bytes().split(b"\n")[:LINES]) + b"\n")

    def read(folder):
        raw = module.read(folder)
        if name == "texas":  # too few operations to encode
            return raw.to_csv()
        dataset = module.encode(raw)
        return dataset.fingerprint, dataset.features, dataset.classes

    damages = (mutations.damaged, mutations.squeezed, mutations.damaged if name in IMAGES else mutations.bad_cells)
    return Target(write, read, damages, (mutations.squeezed,))


def write_images(name, folder, count=8):
    rng = np.random.default_rng(0)
    for number, file in enumerate(_files(name)):
        if name == "mnist" and number % 2:
            content = bytes((0, 0, 8, 1)) + np.array([count], ">u4").tobytes() + bytes(range(count))
        elif name == "mnist":
            content = bytes((0, 0, 8, 3)) + np.array([count, 28, 28], ">u4").tobytes() + rng.bytes(count * 784)
        elif name == "svhn":
            pixels = rng.integers(0, 256, (32, 32, 3, count), dtype=np.uint8)
            packed = io.BytesIO()
            scipy.io.savemat(packed, {"X": pixels, "y": np.arange(1, count + 1, dtype=np.uint8)[:, None]})
            content = packed.getvalue()
        else:
            key = b"labels" if name == "cifar10" else b"fine_labels"
            pixels = rng.integers(0, 256, (count, 3072), dtype=np.uint8)
            content = pickle.dumps({b"batch_label": b"x", key: list(range(count)), b"data": pixels}, protocol=3)
        (folder / file).write_bytes(content)


def _files(name):
    module = load(DATASETS[name])
    return [file for part in module.PARTS for file in part] if name == "mnist" else module.FILES


def own_table():
    rng = np.random.default_rng(0)
    rows = [
        f"{'ab'[i % 2]},{rng.integers(20, 80)},{rng.normal():.6f},{('red', 'green', 'blue')[i % 3]},"
        f"{'yes' if (i * 7) % 5 < 2 else 'no'}"
        for i in range(60)
    ]
    content = "\n".join(["site,age,dose,colour,ill", *rows, ""])

    def read(folder):
        reading = OwnData(path="own.csv", label="ill", group="site").reading
        dataset = own.encode(own.read(folder, reading))
        sizes = group_sizes(None, reading.at(folder / "own.csv"), "site")
        return dataset.fingerprint, dataset.features, sizes, own.describe(dataset.provenance)[1:]

    damages = (mutations.damaged, mutations.squeezed, mutations.bad_cells)
    return Target(lambda folder: (folder / "own.csv").write_text(content), read, damages, (mutations.squeezed,))


def own_arrays():
    def write(folder):
        rng = np.random.default_rng(0)
        group = np.where(np.arange(50) < 20, "left", "right")
        np.savez(folder / "own.npz", x=rng.normal(size=(50, 3)), y=np.arange(50) % 3, group=group)

    def read(folder):
        dataset = own.encode(own.read(folder, OwnData(path="own.npz").reading))
        assert np.isfinite(dataset.x).all()
        return dataset.fingerprint, dataset.features, own.describe(dataset.provenance)[1:]

    return Target(write, read, (mutations.damaged, arrays), (mutations.damaged,))


def predictions():
    rng = np.random.default_rng(0)
    shares = [round(float(share), 3) for share in rng.random(60)]
    content, reference = (
        "\n".join(
            [
                "label,member,p0,p1",
                *(f"{i % 2},{('yes', 'no', 'population')[i % 3]},{p},{round(1 - p, 3)}" for i, p in enumerate(given)),
                "",
            ]
        )
        for given in (shares, shares[::-1])
    )

    def read(folder):
        path, other = str(folder / "given.csv"), folder.parent / "reference.csv"
        other.write_text(reference)
        classes = {"0": "p0", "1": "p1"}
        job = PredictionsJob(path, "label", "member", classes, "probabilities", [str(other)], False, "1", [])
        signals, losses = folder.parent / "signals.npz", folder.parent / "losses.npz"
        model = read_predictions(job)
        signal = model.target
        model.save(signals, losses)
        assert meaning(load_signals(signals)) == meaning([signal])
        assert np.isfinite(model.references.losses).all()
        # Where a record stands in the file is no part of what it means.
        return tuple(values.tobytes() for values in (signal.logits, signal.labels, signal.membership))

    damages = (mutations.damaged, mutations.squeezed, mutations.bad_cells)
    return Target(lambda folder: (folder / "given.csv").write_text(content), read, damages, (mutations.squeezed,))


def meaning(signals):
    """Return signals as plain data."""
    names = ("logits", "records", "labels", "membership", "parameters", "accuracy_by_epoch", "curve")
    values = [[signal.card.plain(), *(getattr(signal, name) for name in names)] for signal in signals]
    return [[value.tobytes() if isinstance(value, np.ndarray) else value for value in row] for row in values]


def made(write, read):
    """Return a file `made.npz` of a job, whose every byte has a checksum."""
    whole = (mutations.damaged, arrays)
    return Target(lambda folder: write(folder / "made.npz"), lambda folder: read(folder / "made.npz"), whole, whole[:1])


def signals():
    rng = np.random.default_rng(0)
    whole = [
        Signal(
            card(),
            np.arange(20),
            rng.integers(0, 2, 20),
            rng.integers(0, 4, 20).astype(np.uint8),
            rng.normal(size=(20, 2)).astype(np.float32),
            parameters=np.ones(5, dtype=np.float32),
            accuracy_by_epoch=np.array([0.5, 0.75]),
            curve=np.full((2, 6), np.nan),
        )
        for _ in range(2)
    ]

    def read(path):
        loaded = list(load_signals(path))
        assert all(np.isfinite(signal.losses).all() for signal in loaded)
        assert len(load_header(path)["models"]) == len(loaded)
        assert len(list(load_followed(path))) == sum(signal.curve is not None for signal in loaded)
        return meaning(loaded)

    return made(lambda path: save_signals(path, whole, Provenance()), read)


def losses():
    rng = np.random.default_rng(0)
    values = rng.random((3, 9), dtype=np.float32)
    whole = [Losses([card()] * 3, np.arange(9), values, rng.random((3, 9)) < 0.5)]

    def read(path):
        groups = load_losses(path)
        assert [group.cards for group in groups] == load_cards(path)
        return [(g.cards, g.records.tobytes(), g.losses.tobytes(), g.trained_on.tobytes()) for g in groups]

    return made(lambda path: save_losses(path, whole, Provenance()), read)


def splits():
    whole = {("a", 0): Split([1, 2], [3, 4], [5], [6], [7]), ("b", 1): Split([1, 2], [3, 4], [5], [6])}

    def read(path):
        return {
            key: {name: rows.tolist() for name, rows in vars(split).items()} for key, split in load_splits(path).items()
        }

    return made(lambda path: save_splits(path, whole, "print"), read)


def metrics():
    rng = np.random.default_rng(0)
    keys = [
        ["a", "iid", True, 1.0, attack, False, metric, 0] for attack in ("x", "y") for metric in ("advantage", "auc")
    ]
    rows = [[*key, round(rng.random(), 4), 40, *rng.random(len(EFFECTS)).round(4)] for key in keys]

    def read(path):
        return summary_table(replicates_table(read_table(path, MEASURED), ["iid"])).to_csv()

    damages = (mutations.damaged, mutations.bad_cells)
    return Target(lambda folder: write_rows(folder / "made.csv", rows), lambda f: read(f / "made.csv"), damages, ())


def prepared():
    rng = np.random.default_rng(0)
    x, y, sex = rng.random((20, 3), dtype=np.float32), rng.integers(0, 2, 20), np.array(["x", "y"] * 10)
    whole = Dataset("toy", x, y, ("a", "b", "c"), ("0", "1"), {"sex": sex}, Provenance(synthetic=True))

    def read(path):
        dataset = Dataset.load(path)
        provenance = json.dumps(dataset.provenance.plain())
        return dataset.fingerprint, dataset.features, dataset.classes, dataset.name, provenance

    return made(whole.save, read)


TARGETS = {
    **{name: published(name) for name in DATASETS},
    "own table": own_table(),
    "own arrays": own_arrays(),
    "predictions": predictions(),
    "signals": signals(),
    "losses": losses(),
    "metrics": metrics(),
    "splits": splits(),
    "prepared data": prepared(),
}
