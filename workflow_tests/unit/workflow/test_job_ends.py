"""How a job ends whose reader has gone away, as in `snakemake audit | head -1`."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[3] / "scripts"
JOB = """
import sys
from types import SimpleNamespace
sys.path.insert(0, {scripts!r})
from _job import run

def main(snakemake):
    for file in snakemake.output[:{written}]:
        open(file, "w").close()
    print("x" * 200_000)

run(main, SimpleNamespace(output=["one", "two"], log=["log"], rule="any"))
"""


@pytest.mark.parametrize(("written", "status"), [(2, 0), (1, 1)])
def test_a_job_whose_reader_has_gone_ends_well_if_its_files_are_whole(tmp_path, written, status):
    code = JOB.format(scripts=str(SCRIPTS), written=written)
    job = subprocess.Popen(
        [sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    job.stdout.close()
    error = job.stderr.read()
    assert job.wait(timeout=60) == status, error
    job.stderr.close()
    assert ("BrokenPipeError" in (tmp_path / "log").read_text()) == (status > 0)
