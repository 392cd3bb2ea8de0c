"""Where the publishers' files are, for tests that read them; those tests are skipped without them."""

import os
from pathlib import Path

import pytest

MIRROR = Path(os.environ.get("DPMIA_MIRROR") or Path(__file__).parents[3] / "shared" / "data")
NO_MIRROR = f"no mirror of the real files: neither DPMIA_MIRROR nor {MIRROR}"

needs_real_files = pytest.mark.skipif(not MIRROR.is_dir(), reason=NO_MIRROR)
