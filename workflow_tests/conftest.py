"""What holds for all tests: one process and one thread per core."""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
