"""The header of an `.npz` file: JSON, with a digest."""

import json

import numpy as np
import pytest

from dpmia.common.errors import DataError
from dpmia.common.reading.arrays import arrays, header_array
from dpmia.common.reading.source import made


@pytest.mark.parametrize(
    ("header", "fault"),
    [
        (np.array("{"), "it is not readable as JSON"),
        (np.array("[1]"), "it is no mapping"),
        (np.array(3), "int64 of shape"),
        (np.array(json.dumps({"format": "f", "version": 1})), "format 'f' version 1 is not 'f' version 2"),
    ],
)
def test_headers_are_checked(tmp_path, header, fault):
    np.savez(tmp_path / "a.npz", header=header)
    with arrays(made(tmp_path / "a.npz")) as archive, pytest.raises(DataError, match=fault):
        archive.header(("f", 2))


def test_a_header_that_was_changed_is_seen_by_its_digest(tmp_path):
    header = {"format": "f", "version": 2, "files": [{"rows": 3}], "rate": float("nan")}
    content = str(header_array(header))
    changed = content.replace('"rows": 3', '"rows": 4')
    assert changed != content
    for text, whole in ((content, True), (changed, False), (json.dumps(header), True)):  # earlier versions wrote none
        np.savez(tmp_path / "a.npz", header=np.array(text))
        with arrays(made(tmp_path / "a.npz")) as archive:
            if whole:
                assert json.dumps(archive.header(("f", 2))) == json.dumps(header)
            else:
                with pytest.raises(DataError, match=r"a\.npz, header: it is not what was written"):
                    archive.header(("f", 2))
