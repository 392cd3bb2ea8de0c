"""The first Ctrl-C is an exception, the second one the end."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import psutil

#: Stays in the code that follows the first Ctrl-C, as a scheduler does that waits for its jobs.
STUBBORN = """
import subprocess, sys, time
from dpmia.workflow.interrupts import end_at_second_interrupt
end_at_second_interrupt("Stopped. Start again.")
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
try:
    print(child.pid, flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("waiting", flush=True)
    while True:
        time.sleep(0.05)  # a signal that comes just before a sleep waits for its end
"""


def is_alive(process):
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def ended(process):
    """Return whether a process ends in time: the system takes some after a kill."""
    patience = time.monotonic() + 30
    while is_alive(process) and time.monotonic() < patience:
        time.sleep(0.01)
    return not is_alive(process)


def test_the_second_ctrl_c_ends_all_at_once_with_one_message():
    command = [sys.executable, "-c", STUBBORN]
    heed = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **heed) as run:
        child = int(run.stdout.readline())
        run.send_signal(signal.SIGINT)
        assert run.stdout.readline() == "waiting\n"
        assert run.poll() is None
        run.send_signal(signal.SIGINT)
        _, printed = run.communicate(timeout=30)
    assert run.returncode == 2
    assert printed == "\nStopped. Start again.\n"
    assert ended(child)


def test_a_run_in_the_background_ignores_ctrl_c_as_before():
    code = """
import os, signal
from dpmia.workflow.interrupts import end_at_second_interrupt
end_at_second_interrupt("Stopped.")
os.kill(os.getpid(), signal.SIGINT)
print("goes on")
"""
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, **ignore)
    assert ended.stdout == "goes on\n"


#: A parent that waits, and a child that would go on for a minute, with a program in a session of its own. Of what that
#: has started, one process is nobody's child any more.
PARENT = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", '''
import subprocess, time
from dpmia.workflow.interrupts import end_with_parent
end_with_parent(0.05)
end_with_parent(0.05)
program = subprocess.Popen(
    ["sh", "-c", "(sleep 60 & echo $!); exec sleep 60"], stdout=subprocess.PIPE, text=True, start_new_session=True
)
print(program.pid, program.stdout.readline().strip(), flush=True)
time.sleep(60)
'''], stdout=subprocess.PIPE, text=True)
print(child.pid, child.stdout.readline(), flush=True)
child.wait()
"""


def test_a_process_ends_with_the_one_that_started_it_and_so_does_all_below_it():
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as parent:
        below = [int(number) for number in parent.stdout.readline().split()]
        assert len(below) == 3
        assert all(map(is_alive, below))
        parent.kill()
    assert all(map(ended, below))
