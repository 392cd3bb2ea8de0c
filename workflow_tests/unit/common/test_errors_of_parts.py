"""Attacks and membership experiments in files of the user: their errors come with file and line, as one message."""

import errno
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from model_cards import card
from training_checks import toy

from dpmia.common.errors import ConfigError, UserError
from dpmia.common.plugins import errors_of_file
from dpmia.common.registry import load
from dpmia.evaluation.attacks import attack_rows
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal, save_signals
from dpmia.jobs.attacking import AttackSpec
from dpmia.jobs.drawing import ArmDraw
from dpmia.splits.block import draw_block
from dpmia.splits.file_sizes import from_file

ATTACK = """
import numpy as np
from dpmia.attacks.base import Attack

class Mute(Exception):
    def __str__(self):
        raise ValueError

class Failing(Attack):
    def __init__(self, at):
        self.at = at
        self.fail("init")

    def fail(self, name):
        if name == self.at:
            raise OSError(28, "No space left on device")  # this line
        if name == self.at.removeprefix("mute "):
            raise Mute

    def prepare(self, knowledge):
        self.fail("prepare")

    def scores(self, signal, knowledge, rng):
        self.fail("scores")
        return np.zeros(len(signal.records))

    def decisions(self, signal, scores):
        self.fail("decisions")
        return scores > 0
"""

DRAWS = """
from dpmia.splits.split import Split

def failing(groups, rng):
    return Split([1, 2], [2, 3], [], [])

def number(groups, rng):
    return 3
"""

SCRIPT = """from dpmia import attack
from dpmia.attacks.base import Attack
class Mine(Attack):
    def scores(self, signal, knowledge, rng): return 1 / 0
    def decisions(self, signal, scores): return scores > 0
attack([[0, 2], [3, 0]], [0, 1], [True, False], attacks={"mine": Mine()})
"""

LINE = next(number for number, text in enumerate(ATTACK.splitlines(), 1) if "this line" in text)


@pytest.fixture
def signals(tmp_path, monkeypatch):
    """Return the path of the signals of one model, in a working folder with files of the user."""
    (tmp_path / "attack.py").write_text(ATTACK)
    (tmp_path / "draws.py").write_text(DRAWS)
    monkeypatch.chdir(tmp_path)
    part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), 5)
    signal = Signal(card(), np.arange(10), np.arange(10) % 2, part, np.zeros((10, 2), dtype=np.float32))
    save_signals(tmp_path / "one.npz", [signal], Provenance())
    return tmp_path / "one.npz"


@pytest.mark.parametrize("at", ["init", "prepare", "scores", "decisions"])
def test_an_attack_that_fails(signals, at):
    def run(at):
        attack_rows("toy", "mine", AttackSpec("attack.py:Failing", {"at": at}).make(), [signals], 1)

    with pytest.raises(UserError, match=rf"^attack\.py, line {LINE}, attack.*: OSError: \[Errno 28\] No space left"):
        run(at)
    with pytest.raises(UserError, match=r"^attack\.py, line \d+, attack.*: Mute\.$"):
        run(f"mute {at}")


@pytest.mark.usefixtures("signals")
def test_a_membership_experiment_that_fails(monkeypatch):
    monkeypatch.setattr("dpmia.splits.file_sizes.group_column", lambda reading, by: ["all"] * 20)
    for name, error, message in (
        (
            "failing",
            UserError,
            r"^draws\.py, line 5, membership, failing: ValueError: members and nonmembers share",
        ),
        ("number", ConfigError, r"^membership, number: it returns int\. Return a dpmia\.splits\.split\.Split\.$"),
    ):
        arms = {"iid": ArmDraw(f"draws.py:{name}", None, {}, False)}
        with pytest.raises(error, match=message):
            draw_block(toy(), None, load(f"draws.py:{name}"), arms, [0], 1)
        with pytest.raises(error, match=message):
            from_file({}, None, f"draws.py:{name}", arms)


def test_a_function_of_python_that_fails_is_named():
    arms = {"iid": ArmDraw("builtins:max", None, {"members": 3}, False)}
    with pytest.raises(UserError, match=r"^builtins:max, membership, max: TypeError: 'members' is an invalid keyword"):
        draw_block(toy(), None, max, arms, [0], 1)


@pytest.mark.parametrize(
    ("interpreter", "place"),
    [(["script.py"], r"script\.py, line 4, attack Mine"), (["-c", "SCRIPT"], "__main__:Mine, attack Mine")],
)
def test_an_attack_of_a_script_that_fails_is_named(tmp_path, interpreter, place):
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    call = [sys.executable, *(SCRIPT if word == "SCRIPT" else word for word in interpreter)]
    answer = subprocess.run(call, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert re.search(rf"{place}, scores\(\): ZeroDivisionError: division by zero\.$", answer.stderr)


def test_a_file_that_leaves_the_working_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "my.py").write_text("import os\nos.chdir('elsewhere')\nclass Attack: pass\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"^my\.py: RuntimeError: the code leaves .*leave os\.chdir out\.$"):
        load("my.py:Attack")
    assert Path.cwd() == tmp_path


@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "last.ckpt"), OSError),
        (PermissionError(errno.EACCES, "Permission denied", "last.ckpt"), OSError),
        (OSError(errno.EPIPE, "Broken pipe"), UserError),
        (SystemExit(3), UserError),
    ],
    ids=["full disk", "no permission", "pipe", "exit"],
)
def test_a_full_disk_is_no_fault_of_the_file(signals, error, reported):
    """Checkpoints are written while a part of the user's is run: whoever runs the job reports the disk."""
    with pytest.raises(reported) as raised, errors_of_file("attack.py:Failing", "model one", every=True):
        raise error
    assert (raised.value is error) == (reported is OSError)
