"""Files that look like others: made by the system as they are read, or full of holes."""

import pytest

from dpmia.common.errors import DataError
from dpmia.common.reading.source import Source


def of(path):
    return Source(path, path.name, "Do this.")


@pytest.mark.parametrize("place", ["/proc/self/mem", "/proc/kmsg"])
def test_what_only_looks_like_a_file_is_not_read(tmp_path, place):
    (tmp_path / "link").symlink_to(place)
    with pytest.raises(DataError, match=r"link: /proc/\S+ is no file on a disk\. Put the file in its place\."):
        of(tmp_path / "link").content()


def test_a_file_of_text_is_read_as_far_as_its_first_zero_byte(tmp_path):
    """A file that was fetched in part may have a hole of gigabytes."""
    with (tmp_path / "holed").open("wb") as file:
        file.write(b"a,b\n1,2\n")
        file.truncate(3 << 30)
    with pytest.raises(DataError, match=r"holed, row 3: byte 0x00 is not UTF-8 text"):
        of(tmp_path / "holed").text()
    assert len(of(tmp_path / "holed").text_content()) == 16 << 20
