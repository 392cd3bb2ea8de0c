"""Training programs of the user's own: what they are handed, what they hand back, and how they fail."""

import contextlib
import os
import shlex
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
import torch
from scipy.special import softmax

from dpmia.common.errors import TrainingError, UserError
from dpmia.formats.recipe import Recipe
from dpmia.models.program import program
from dpmia.planning.own_program import program_shape
from dpmia.privacy.record import Stated
from dpmia.training.engines import command as command_engine
from dpmia.training.engines.command import CommandEngine
from dpmia.training.lightning import fit
from dpmia.training.run import Run, Seeds

RECIPE = Recipe("its own", 0.0, 1, 0)
RNG = np.random.default_rng(0)
X = torch.from_numpy(RNG.random((60, 4)).astype(np.float32))
Y = torch.from_numpy((X[:, 0].numpy() > 0.5).astype(np.int64))

#: Not Python: the shares of the classes of the training set, tilted by the first feature. Line 1 is names.
AWK = r"""
BEGIN { FS = "," }
FNR == 1 { file++; next }
file == 1 { count[$NF]++; total++; sum[$NF] += $1; next }
file == 2 {
    if (FNR == 2) print "no,yes" > out
    near0 = ($1 - sum[0] / count[0]) ^ 2; near1 = ($1 - sum[1] / count[1]) ^ 2
    p = near0 / (near0 + near1)
    printf "%.9f,%.9f\n", 1 - p, p > out
}
"""

PYTHON = "import sys, numpy as np; train, query, out, *rest = sys.argv[1:]; n = len(np.load(query)['x']); "


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    return tmp_path


def engine_of(command, image=None, form="npz", scale="probabilities", timeout=60.0, records=range(30), **run):
    architecture = program(4, 2, image, **program_shape(command, [], form, scale, timeout))
    CommandEngine.check(architecture, RECIPE, "model one")
    engine = CommandEngine(architecture, RECIPE, [Run("one", np.array(records), Seeds(2**40 + 5, 6, 7), **run)], X, Y)
    fit(engine)
    return engine


def outputs(command, x=X, **how):
    engine = engine_of(command, **how)
    return engine.outputs_of(0, engine.parameters()[0], x).numpy()


def python(code):
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(PYTHON.replace('{', '{{').replace('}', '}}') + code)}" + (
        " {train} {query} {outputs}"
    )


def left(folder):
    return [*(folder / "temporary").iterdir()]


def test_a_program_in_any_language_trains_and_evaluates(folder):
    (folder / "near.awk").write_text(AWK)
    probabilities = softmax(outputs("awk -v out={outputs} -f near.awk {train} {query}", form="csv"), axis=1)
    x, y = X.numpy()[:, 0], Y.numpy()
    means = [x[:30][y[:30] == label].mean() for label in (0, 1)]
    near = (x[:, None] - means) ** 2
    np.testing.assert_allclose(probabilities[:, 1], near[:, 0] / near.sum(axis=1), atol=1e-6)
    assert not left(folder), "records are left in no folder"


def test_records_and_labels_reach_the_program_as_they_are_and_queries_in_another_order(folder):
    for form in ("npz", "csv"):
        with pytest.raises(UserError):  # it copies, and writes no outputs
            outputs(f"sh -c 'cp $0 train.{form}; cp $1 query.{form}' {{train}} {{query}} {{outputs}}", form=form)
    with np.load("train.npz") as train, np.load("query.npz") as query:
        assert np.array_equal(train["x"], X[:30])
        assert np.array_equal(train["y"], Y[:30])
        assert [train[name].dtype.name for name in ("x", "y")] == ["float32", "int64"]
        assert [*query] == ["x"], "a program is not told the labels of queries, nor which are members"
        shuffled = query["x"]
    assert not np.array_equal(shuffled, X)
    assert np.array_equal(shuffled[np.lexsort(shuffled.T)], X.numpy()[np.lexsort(X.numpy().T)])
    lines = Path("train.csv").read_text().splitlines()
    assert lines[0] == "x0,x1,x2,x3,y"
    read = np.loadtxt("train.csv", delimiter=",", skiprows=1)
    assert np.array_equal(read[:, :4].astype(np.float32), X[:30])
    assert np.array_equal(read[:, 4], Y[:30])
    assert np.array_equal(np.loadtxt("query.csv", delimiter=",", skiprows=1).astype(np.float32), shuffled)


def test_outputs_return_to_the_order_of_the_queries():
    command = python("x = np.load(query)['x']; np.savez(out, outputs=x[:, :2])")
    assert np.array_equal(outputs(command, scale="logits"), X[:, :2])


def test_probabilities_in_the_place_of_logits_are_refused():
    command = python("np.savez(out, outputs=np.full((n, 2), .5))")
    with pytest.raises(UserError, match=r"all rows are probabilities.*Write logits, or set training.scale: probabilit"):
        outputs(command, scale="logits")


def test_images_keep_their_shape(folder):
    with pytest.raises(UserError):
        outputs("cp {train} train.npz", image=(1, 2, 2))
    with np.load("train.npz") as train:
        assert train["x"].shape == (30, 1, 2, 2)


@pytest.mark.parametrize(
    ("stated", "epsilon", "delta"), [(Stated(0.5, 1e-6, "add_remove"), "0.5", "1e-06"), (None, "inf", "0")]
)
def test_numbers_are_filled_in(folder, stated, epsilon, delta):
    line = "sh -c 'echo $0 $1 $2 $3 $OMP_NUM_THREADS > numbers.txt' {seed} {epsilon} {delta} {classes}"
    with pytest.raises(UserError, match="did not write"):
        outputs(line, stated=stated)
    assert (folder / "numbers.txt").read_text() == f"{(2**40 + 5) % 2**31} {epsilon} {delta} 2 1\n"


def test_there_is_no_shell(folder):
    with pytest.raises(UserError, match="did not write"):
        outputs("echo hello > here.txt; touch there.txt `touch back.txt` $(touch dollar.txt) {train}")
    assert {path.name for path in folder.iterdir()} == {"temporary"}


FAILURES = {
    "exit code": ("sh -c 'echo one; echo two >&2; exit 3'", "ended with exit code 3", "    one\n    two"),
    "traceback": (python("undefined"), "ended with exit code 1", "NameError: name 'undefined' is not defined"),
    "signal": ("sh -c 'kill -9 $$'", "was ended by SIGKILL, perhaps as there was too little memory", "nothing"),
    "no file": ("true", "did not write this file", "Write the outputs to {outputs}"),
    "no archive": ("cp text.txt {outputs}", "not readable as .npz", "Mend what the program writes"),
    "another array": (python("np.savez(out, predictions=np.ones((n, 2)))"), "'outputs' is missing", "predictions"),
    "missing rows": (python("np.savez(out, outputs=np.ones((n - 1, 2)) / 2)"), "(59, 2), not (60, 2)", "a row for"),
    "missing class": (python("np.savez(out, outputs=np.ones(n))"), "(60), not (60, 2)", "a column for each class"),
    "NaN": (python("p = np.ones((n, 2)) / 2; p[7, 1] = np.nan; np.savez(out, outputs=p)"), "row 7 and column 1", "nan"),
    "logits": (python("np.savez(out, outputs=np.full((n, 2), 3.))"), "row 0", "3, 3 are not probabilities that add up"),
    "text": (python("np.savez(out, outputs=np.full((n, 2), 'a'))"), "no numbers", "array 'outputs'"),
}


@pytest.mark.parametrize(("command", "problem", "detail"), FAILURES.values(), ids=FAILURES)
def test_a_program_that_fails_is_one_message_with_what_it_printed_last(folder, command, problem, detail):
    (folder / "text.txt").write_text("no archive")
    with pytest.raises(UserError) as failed:
        outputs(command)
    message = str(failed.value)
    assert message.startswith("model one")
    assert problem in message, message
    assert detail in message, message
    (kept,) = left(folder)
    assert (kept / "train.npz").exists(), "its files are kept, so that it can be tried by hand"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o700


def test_a_program_that_removes_its_folder_is_one_message(folder):
    with pytest.raises(UserError, match=r"^model one.*(did not write|does not exist)"):
        outputs("sh -c 'rm -r $(dirname $0)' {outputs}")
    assert left(folder) == []


CSVS = {
    "numbers only": ("1,0\\n" * 60, "shape (59, 2), not (60, 2)"),
    "digits that Python alone groups": ("a,b\\n1,0\\n1,1_0\\n", "line 3, field 2: '1_0' is not a number"),
    "a word": ("a,b\\n1,0\\nhigh,0\\n", "line 3, field 1: 'high' is not a number"),
    "a short row": ("a,b\\n1,0\\n1\\n", "line 3: 1 fields, not 2"),
    "more than 32 bits hold": ("a,b\\n" + "1,-1e39\\n" * 60, "column 1 (from 0): -1e+39 is not a finite number"),
    "nothing": ("\\n", "no numbers below the row of names"),
}


@pytest.mark.parametrize(("text", "problem"), CSVS.values(), ids=CSVS)
def test_a_wrong_csv_is_reported_with_its_line(text, problem):
    with pytest.raises(UserError) as failed:
        outputs(f"sh -c 'printf \"{text}\" > $0' {{outputs}}", form="csv")
    assert problem in str(failed.value)


#: A program that starts another one, which writes a file when it is asked to end.
FAMILY = """
sh -c 'trap "echo > gone.txt; exit" TERM; echo > ready.txt; while :; do sleep 0.01; done' &
wait
"""


def appears(file):
    """Wait for a file, and return whether it came."""
    for _ in range(6000):
        if file.exists():
            return True
        time.sleep(0.01)
    return False


def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(folder, monkeypatch):
    (folder / "family.sh").write_text(FAMILY)
    wait = subprocess.Popen.wait

    def no_patience(process, timeout=None):
        """Take the limit for over as soon as the program runs, however fast this machine is."""
        if timeout == 123:
            assert appears(folder / "ready.txt")
            raise subprocess.TimeoutExpired(process.args, timeout)
        assert timeout is None or timeout > 0, "who is asked to end has time for that"
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", no_patience)
    with pytest.raises(TrainingError, match=r"took more than 123 s, the limit of training\.timeout"):
        outputs("sh family.sh {train}", timeout=123)
    assert appears(folder / "gone.txt")


#: Starts a program that does not end when asked to, and writes its number.
STUBBORN = """sh -c 'trap "" TERM; echo $$ > started.txt; exec sleep 60' &
"""


def ends(file):
    """Return whether the process ends whose number a file holds: the system takes some time after a kill."""
    patience = time.monotonic() + 30
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(int(file.read_text()))
        while process.status() != psutil.STATUS_ZOMBIE:
            if time.monotonic() > patience:
                return False
            time.sleep(0.01)
    return True


@pytest.mark.parametrize(
    ("then", "problem"),
    [
        ("wait\n", "took more than 1 s"),  # it ends when asked to, and what it started does not
        ("while ! test -s started.txt; do :; done\n", "did not write this file"),
        ("while ! test -s started.txt; do :; done; exit 3\n", "ended with exit code 3"),
    ],
    ids=["takes too long", "ends", "fails"],
)
def test_nothing_that_a_program_started_outlives_it(folder, monkeypatch, then, problem):
    monkeypatch.setattr(command_engine, "GRACE", 0.1)
    (folder / "family.sh").write_text(STUBBORN + then)
    with pytest.raises(UserError, match=problem):
        outputs("sh family.sh {train}", timeout=1 if then == "wait\n" else 60)
    assert appears(folder / "started.txt")
    assert ends(folder / "started.txt")


def test_a_second_request_to_end_leaves_nothing_either(folder, monkeypatch):
    """A job that is asked to end while its program has time for that."""
    (folder / "family.sh").write_text(STUBBORN + "while ! test -s started.txt; do :; done\n")

    def interrupted(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(command_engine, "time", SimpleNamespace(monotonic=time.monotonic, sleep=interrupted))
    with pytest.raises(KeyboardInterrupt):
        outputs("sh family.sh {train}")
    assert ends(folder / "started.txt")
    assert not left(folder)


@pytest.mark.slow  # imports torch in a process of its own
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_program_ends_with_its_job(folder, number):
    """A job that is asked to end, by a cluster, by Snakemake or a terminal that closes, takes its program along."""
    code = f"""
import signal, sys
signal.signal({number:d}, signal.SIG_DFL)  # tests under nohup ignore SIGHUP, and what they start does, too
sys.path.insert(0, {str(Path(__file__).parent)!r})
import tempfile
tempfile.tempdir = "temporary"
from test_command_engine import outputs
outputs("sh -c 'echo $$ > program.txt; exec sleep 60'")
"""
    job = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    while not (folder / "program.txt").exists() or not (folder / "program.txt").read_text():
        assert job.poll() is None
        time.sleep(0.02)
    job.send_signal(number)
    assert job.wait(60) == 128 + number
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "program.txt").read_text()), 0)
    assert not left(folder)


@pytest.mark.parametrize(
    ("command", "problem"),
    [("no-such-program {train}", "no program 'no-such-program' on PATH"), ("./train.sh {train}", "'./train.sh'")],
)
def test_a_program_that_is_not_there_is_found_before_any_model_is_trained(folder, command, problem):
    (folder / "train.sh").write_text("#!/bin/sh\n")  # and is not executable
    with pytest.raises(TrainingError, match=problem):
        engine_of(command)


def test_a_program_that_cannot_be_started_is_reported(folder):
    (folder / "train.sh").write_bytes(b"\x7fno program")
    (folder / "train.sh").chmod(0o755)
    with pytest.raises(TrainingError, match=r"'\./train\.sh' cannot be started"):
        outputs("./train.sh {train}")


def test_a_program_that_was_edited_since_the_settings_were_read_is_refused(folder):
    (folder / "train.sh").write_text("exit 1")
    architecture = program(4, 2, None, **program_shape("sh train.sh {train}", [], "npz", "logits", 1.0))
    (folder / "train.sh").write_text("exit 0")
    with pytest.raises(TrainingError, match=r"train\.sh was changed since this run began"):
        CommandEngine.check(architecture, RECIPE, "model one")


def test_another_architecture_is_refused():
    with pytest.raises(TrainingError, match="cannot be combined with engine 'command'"):
        CommandEngine.check(object(), RECIPE, "model one")
