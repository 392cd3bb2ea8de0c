"""The page on data sets names every data set, every file that a mirror may hold, and every licence."""

import re

import pytest

from dpmia.datasets.raw.sources import all_raw_files
from dpmia.settings.generate import ROOT

ROWS = dict(re.findall(r"^\| `([a-z0-9_]+)` (\|.*)$", (ROOT / "docs/data.md").read_text(), re.MULTILINE))


def test_every_data_set_has_a_row():
    assert set(ROWS) == {raw.dataset for raw in all_raw_files()}


@pytest.mark.parametrize("raw", all_raw_files(), ids=lambda raw: f"{raw.dataset}/{raw.file}")
def test_rows_name_the_files(raw):
    batches = "`cifar10/data_batch_1` to `cifar10/data_batch_5`"
    assert all(f"`{name}`" in ROWS[raw.dataset] or raw.file.startswith("data_batch_") for name in raw.mirror)
    assert raw.dataset != "cifar10" or batches in ROWS["cifar10"]


@pytest.mark.parametrize("raw", all_raw_files(), ids=lambda raw: f"{raw.dataset}/{raw.file}")
def test_rows_say_the_licence(raw):
    assert raw.licence.partition(";")[0].partition(" (")[0] in ROWS[raw.dataset]
