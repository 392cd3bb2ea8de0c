"""Streams that nobody reads any more."""

from __future__ import annotations

import os
from typing import TextIO


def discard(stream: TextIO) -> None:
    """Let all that is still written to a stream go nowhere: its reader has ended, as in `dpmia plan | head -1`."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
