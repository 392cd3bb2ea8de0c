"""A lock that outlives nobody."""

import subprocess
import sys

import pytest

from dpmia.common.errors import UserError
from dpmia.workflow.lock import hold

HOLDER = "import sys; from dpmia.workflow.lock import hold; hold(sys.argv[1]); print(flush=True); sys.stdin.read()"


def test_the_second_is_refused_until_the_first_has_ended_however_it_ended(tmp_path):
    path = tmp_path / "sub" / "run.lock"
    command = [sys.executable, "-c", HOLDER, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        first.stdout.readline()
        with pytest.raises(UserError, match=rf"another run is at work.* \(process {first.pid} on "):
            hold(path)
        first.kill()
    hold(path)
