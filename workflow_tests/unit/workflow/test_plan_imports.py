"""What Snakemake imports of the library at every start: little, as each command waits for it."""

import subprocess
import sys
from pathlib import Path

RULES = Path(__file__).parents[3] / "rules"
SLOW = {"matplotlib", "numpy", "opacus", "pandas", "pytorch_lightning", "requests", "scipy", "seaborn", "torch"}


def test_the_plan_imports_none_of_the_slow_libraries():
    lines = [line for file in RULES.glob("*.smk") for line in file.read_text().splitlines()]
    imports = [line for line in lines if line.startswith("from dpmia.")]
    assert any("catalogue" in line for line in imports)
    code = "\n".join([*imports, "import sys", "print(*sys.modules)"])
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not SLOW & set(loaded)
