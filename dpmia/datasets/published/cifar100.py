"""CIFAR-100: 60 000 colour photographs of 32 x 32 pixels in 100 classes (Krizhevsky 2009)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from dpmia.datasets.dataset import Dataset
from dpmia.datasets.published import images
from dpmia.datasets.published.images import Images
from dpmia.datasets.raw import image_files

#: The training part, then the test part, as published.
FILES = ("train", "test")
#: The test part as one PNG file for each image, in a folder for each class: read where there are no published files.
ARCHIVE = "cifar100-test-png.tar"
_NAMES = """
    apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly camel can castle
    caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur dolphin elephant
    flatfish forest fox girl hamster house kangaroo keyboard lamp lawn_mower leopard lion lizard lobster man maple_tree
    motorcycle mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree plain plate
    poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew skunk skyscraper snail snake spider
    squirrel streetcar sunflower sweet_pepper table tank telephone television tiger tractor train trout tulip turtle
    wardrobe whale willow_tree wolf woman worm
"""
#: The fine classes in alphabetical order, which is also that of their numbers.
CLASSES = tuple(_NAMES.split())


def read(folder: Path) -> Images:
    """Parse the published files: the training images in their order, then the test images.

    Where neither of them is there, but the archive of the test part is, that is read: 10 000 images, class by class.
    The provenance names the files that were read.

    Raises:
        DataError: a file is absent, damaged or of another format.
    """
    if os.path.lexists(folder / ARCHIVE) and not any(os.path.lexists(folder / name) for name in FILES):
        return images.joined(folder, [((ARCHIVE,), image_files.packed(folder / ARCHIVE, CLASSES))])
    return images.joined(
        folder, [((name,), image_files.batch(folder / name, "fine_labels", len(CLASSES))) for name in FILES]
    )


def encode(raw: Images, attributes: Sequence[str] = (), pool: int = 1) -> Dataset:
    """Return 3 x 1024 pixels, or fewer where `pool` is 2, 4, 8 or 16: the side of the squares that are averaged.

    The data set is called `cifar100_test` where it was made from the archive: that is the test part alone.
    """
    name = "cifar100_test" if raw.provenance.files[0].name == ARCHIVE else "cifar100"
    return images.encoded(name, raw, CLASSES, attributes, pool)
