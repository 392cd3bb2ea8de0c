"""Where the publishers' files are, for tests that read them; those tests are skipped without them."""

import os
from pathlib import Path

MIRROR = Path(os.environ.get("DPMIA_MIRROR") or Path(__file__).parents[3] / "shared" / "data")
