"""Scripts that forks of a server run in their place: they do, print and end as they would by themselves."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from dpmia.workflow.fork_server import SOCKET, Server, can_serve, environment_with

pytestmark = pytest.mark.skipif(not can_serve(), reason="this system has no safe fork")

REPOSITORY = Path(__file__).parents[3]
HEAD = "import os, sys; from dpmia.workflow.fork_server import hand_over, seconds_of_client; hand_over()\n"


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(SOCKET).parent.mkdir()
    served = Server(REPOSITORY, tmp_path / "server.log", ["colorsys"])
    while not Path(SOCKET).is_socket():
        time.sleep(0.01)
    yield served
    served.end()


def start(code, script="script.py"):
    Path(script).write_text(HEAD + code)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "MARK": "from the client"}
    return subprocess.Popen([sys.executable, script], env=environment, **pipes)


def ended(code, given=""):
    with start(code) as process:
        printed = process.communicate(given, timeout=30)
    return process.returncode, *printed


def test_a_fork_runs_the_script_with_the_libraries_terminal_and_environment(server):
    code = "print('colorsys' in sys.modules, os.environ['MARK'], input(), seconds_of_client() > 0, sys.argv)"
    assert ended(code, "typed\n") == (0, "True from the client typed True ['script.py']\n", "")


def test_without_a_server_a_script_runs_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ended("print('colorsys' in sys.modules, seconds_of_client())") == (0, "False 0.0\n", "")


def test_a_socket_without_a_server_is_passed_over(server, monkeypatch):
    server._process.kill()
    server._process.wait()
    assert Path(SOCKET).is_socket()
    monkeypatch.setenv("PYTHONWARNINGS", "error::ResourceWarning")
    assert ended("print('colorsys' in sys.modules)") == (0, "False\n", "")


@pytest.mark.parametrize(
    ("code", "status", "error"),
    [
        ("sys.exit()", 0, ""),
        ("sys.exit(7)", 7, ""),
        ("sys.exit('what is wrong')", 1, "what is wrong\n"),
        ("import atexit; atexit.register(print, 'bye', file=sys.stderr)", 0, "bye\n"),
        ("sys.excepthook = lambda *error: print(error[1], file=sys.stderr)\n1 / 0", 1, "division by zero\n"),
    ],
)
def test_the_status_and_the_last_words_are_those_of_the_script(server, code, status, error):
    assert ended(code) == (status, "", error)


def test_an_error_prints_its_traceback(server):
    status, _, error = ended("1 / 0")
    assert (status, error.splitlines()[-1]) == (1, "ZeroDivisionError: division by zero")


def test_killed_with_the_script_that_it_runs_and_the_other_way_round(server):
    with start("print(os.getpid(), flush=True)\nimport time\ntime.sleep(60)") as process:
        fork = int(process.stdout.readline())
        os.kill(fork, signal.SIGKILL)
        assert process.wait(timeout=30) == -signal.SIGKILL
    with start("print(os.getpid(), flush=True)\nimport time\ntime.sleep(60)") as process:
        fork = int(process.stdout.readline())
        process.kill()
        assert process.stdout.read() == ""  # until the fork, too, has closed it


def test_what_a_script_started_is_killed_with_it(server):
    code = """
import subprocess, time
program = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL, start_new_session=True)
print(program.pid, flush=True)
time.sleep(60)
"""
    with start(code) as process:
        program = int(process.stdout.readline())
        process.kill()
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(program).wait(30)


def test_scripts_run_side_by_side(server):
    waiting = start("print(input())", "other.py")
    assert ended("print('done')") == (0, "done\n", "")
    assert waiting.communicate("at last\n", timeout=30) == ("at last\n", "")
    assert waiting.returncode == 0


def test_the_end_removes_the_socket_and_notes_the_time(server, tmp_path):
    server.end()
    assert not Path(SOCKET).exists()
    assert (tmp_path / "server.log").read_text().endswith(" s, work 0.000 s\n")


def test_a_server_that_still_imports_ends_with_its_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(SOCKET).parent.mkdir()
    (tmp_path / "slow.py").write_text("import time; time.sleep(0.5)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    Server(REPOSITORY, tmp_path / "server.log", ["slow", "never_reached"]).end()
    assert (tmp_path / "server.log").is_file()
    assert not Path(SOCKET).exists()


def test_only_its_user_can_connect(server):
    assert Path(SOCKET).stat().st_mode & 0o077 == 0


def test_a_connection_without_a_script_ends_nothing(server):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(SOCKET)
    assert ended("print('next')") == (0, "next\n", "")


def test_a_script_whose_fork_cannot_be_made_runs_by_itself_and_the_next_one_is_served(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path(SOCKET).parent.mkdir()
    failing = """
import os
fork, times = os.fork, []
def failing_once():
    times.append(1)
    if len(times) == 1:
        raise BlockingIOError("no memory")
    return fork()
os.fork = failing_once
"""
    (tmp_path / "failing.py").write_text(failing)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    served = Server(REPOSITORY, tmp_path / "server.log", ["failing", "colorsys"])
    while not Path(SOCKET).is_socket():
        time.sleep(0.01)
    code = "print('colorsys' in sys.modules)"
    assert [ended(code), ended(code)] == [(0, "False\n", ""), (0, "True\n", "")]
    served.end()


def test_where_no_socket_can_be_made_scripts_run_by_themselves(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)  # without the folder of the socket
    served = Server(REPOSITORY, tmp_path / "server.log", [])
    assert ended("print('by itself')") == (0, "by itself\n", "")
    served.end()
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(("before", "after"), [(None, "/library"), ("", "/library"), ("/a:/b", "/library:/a:/b")])
def test_the_library_stands_ahead_of_the_users_folders(before, after, monkeypatch):
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONPATH", before)
    assert environment_with(Path("/library"))["PYTHONPATH"] == after
