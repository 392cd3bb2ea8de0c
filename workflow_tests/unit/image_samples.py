"""Images and files that tests of image data sets write."""

import importlib
import io
import tarfile

import numpy as np
from PIL import Image

from dpmia.datasets.synthetic.painter import Appearance, Painter
from dpmia.datasets.synthetic.sampler import read_toml

NAMES = ("mnist", "cifar10", "cifar100", "svhn")
SHAPES = {"mnist": (1, 28, 28), "cifar10": (3, 32, 32), "cifar100": (3, 32, 32), "svhn": (3, 32, 32)}

rng = np.random.default_rng(0)
PIXELS = rng.integers(0, 256, (6, 3, 32, 32), dtype=np.uint8)
GREY = rng.integers(0, 256, (6, 28, 28), dtype=np.uint8)


def data_module(name):
    return importlib.import_module(f"dpmia.datasets.published.{name}")


def painter(name, seed, **look):
    return Painter(Appearance(**read_toml(name)["look"] | look), seed)


def png(pixels, mode="RGB"):
    content = io.BytesIO()
    Image.fromarray(np.moveaxis(pixels, 0, -1)).convert(mode).save(content, format="PNG")
    return content.getvalue()


def archive(path, members):
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as packed:
        folder = tarfile.TarInfo("test/ape")
        folder.type = tarfile.DIRTYPE
        packed.addfile(folder)
        for name, content in members:
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            packed.addfile(entry, io.BytesIO(content))
    return path
