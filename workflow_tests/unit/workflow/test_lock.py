"""A lock that outlives nobody."""

import os
import socket
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


FORKING = """
import os, sys
from dpmia.workflow.lock import hold
hold(sys.argv[1])
if not os.fork():
    print(os.getpid(), flush=True)  # by now it has let go of the lock
sys.stdin.read()
"""


def test_a_forked_process_that_outlives_the_holder_does_not_keep_the_lock(tmp_path):
    path = tmp_path / "run.lock"
    command = [sys.executable, "-c", FORKING, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as first:
        child = int(first.stdout.readline())
        with pytest.raises(UserError, match="another run is at work"):
            hold(path)
        first.kill()
        first.wait()
        os.kill(child, 0)  # still there
        hold(path)


def test_the_holder_of_today_is_named_not_an_earlier_one(tmp_path):
    path = tmp_path / "run.lock"
    path.write_text("process 123456789 on a host with a long name, which died")
    hold(path)
    assert path.read_text() == f"process {os.getpid()} on {socket.gethostname()}"
