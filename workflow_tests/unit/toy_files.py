"""A raw file of a toy data set, and another one as long."""

import hashlib

from dpmia.datasets.raw.sources import RawFile

CONTENT = b"".join(b"%d, some words\n" % number for number in range(20_000))
OTHER = CONTENT[:-2] + b"?\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def raw(*urls):
    """Return the entry of the file in the table of raw files."""
    return RawFile(
        dataset="toy",
        file="toy.data",
        mirror=("toy/toy.data",),
        urls=urls,
        checksum=f"sha256:{SHA256}",
        bytes=len(CONTENT),
        rows=20_000,
        optional=False,
        licence="none",
        homepage="https://example.org/toy",
    )
