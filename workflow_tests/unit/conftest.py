"""One thread for each test process: small products gain nothing from more, and lose much on a busy machine."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
