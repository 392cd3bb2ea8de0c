"""Files are complete or absent."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from fault_injection import Faults
from matplotlib.figure import Figure

from dpmia.common import files
from dpmia.common.files import bring_back, file_digest, is_file, is_folder, remove_leftovers, whole_file


class FullDiskError(Exception):
    pass


def fail_half_way(path):
    with whole_file(path) as part:
        part.write_bytes(b"half")
        raise FullDiskError


def test_a_finished_file_stands_alone_in_its_folder(tmp_path):
    with whole_file(tmp_path / "new" / "deep" / "a.txt") as part:
        part.write_text("whole")
        assert not (tmp_path / "new/deep/a.txt").exists(), "a reader must not see a file that is being written"
    assert [file.name for file in (tmp_path / "new/deep").iterdir()] == ["a.txt"]
    assert (tmp_path / "new/deep/a.txt").read_text() == "whole"


def test_an_error_leaves_nothing_behind(tmp_path):
    with pytest.raises(FullDiskError):
        fail_half_way(tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []


def test_an_error_keeps_the_old_file(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(FullDiskError):
        fail_half_way(tmp_path / "a.txt")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_a_finished_file_replaces_the_old_one(tmp_path):
    (tmp_path / "a.txt").write_text("old and longer")
    with whole_file(str(tmp_path / "a.txt")) as part:
        part.write_text("new")
    assert [file.read_text() for file in tmp_path.iterdir()] == ["new"]


def test_nothing_written_is_an_error_and_keeps_the_old_file(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    with pytest.raises(FileNotFoundError), whole_file(tmp_path / "a.txt"):
        pass
    assert (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.parametrize("name", ["a.npz", "a.csv", "a.png", "a.b.npz"])
def test_writers_that_go_by_the_suffix_put_nothing_beside(tmp_path, name):
    write = {
        ".npz": lambda part: np.savez(part, x=np.arange(3)),
        ".csv": lambda part: pd.DataFrame({"x": [1]}).to_csv(part),
        ".png": lambda part: Figure().savefig(part),
    }
    read = {
        ".npz": lambda path: np.load(path)["x"].tolist() == [0, 1, 2],
        ".csv": lambda path: pd.read_csv(path)["x"].tolist() == [1],
        ".png": lambda path: plt.imread(path).ndim == 3,
    }
    suffix = Path(name).suffix
    with whole_file(tmp_path / name) as part:
        write[suffix](part)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert read[suffix](tmp_path / name)


#: Writes two files, after a look for what an earlier one left.
WRITER = """
import json
from dpmia.common.files import remove_leftovers, whole_file
remove_leftovers(["results"])
for name in ("a.json", "b.json"):
    with whole_file(f"results/deep/{name}") as part:
        part.write_text(json.dumps({"name": name}))
"""


def test_killed_at_each_effect_of_writing_and_started_again(tmp_path):
    (root := tmp_path / "run").mkdir()
    faults = Faults(tmp_path / "faults", root, "kill")
    right = {f"{name}.json": json.dumps({"name": f"{name}.json"}) for name in "ab"}
    command, starts = [sys.executable, "-c", WRITER], 1
    while subprocess.run(command, cwd=root, env=os.environ | faults.environment, start_new_session=True).returncode:
        starts += 1
        for file in root.rglob("[!.]*.json"):
            assert file.read_text() == right[file.name]
    assert {file.name: file.read_text() for file in (root / "results/deep").iterdir()} == right
    effects = [effect.partition(" ")[0] for effect in faults.met]
    assert effects == ["os.mkdir", "os.mkdir", *["open", "os.rename", "os.remove"] * 2]
    assert starts == len(effects) + 1


# Leftovers


def left(folder, process, machine=None, name="a"):
    path = folder / f".{name}.{machine or files._machine()}~{process}.part.npz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"half")
    return path


def ended():
    """Return the number of a process that is no more."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_what_a_killed_job_left_is_removed_and_nothing_else(tmp_path):
    code = f"""
import os, signal
from dpmia.common.files import whole_file
with whole_file({str(tmp_path / "results/deep/a.b.npz")!r}) as part:
    part.write_bytes(b"half")
    os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    (killed,) = (tmp_path / "results/deep").iterdir()
    alive = left(tmp_path / "results", os.getpid())
    others = [tmp_path / "results" / name for name in ("a.npz", ".a.npz", ".a.12.part.npz", "a.part.csv", ".hidden")]
    for file in others:
        file.write_bytes(b"whole")
    assert remove_leftovers([tmp_path / "results", tmp_path / "nowhere"]) == [killed]
    assert sorted(file for file in tmp_path.rglob("*") if file.is_file()) == sorted([alive, *others])


def test_the_file_of_another_machine_stays_until_it_is_given_up(tmp_path):
    new, old = left(tmp_path, ended(), "elsewhere"), left(tmp_path, ended(), "elsewhere", "old")
    long_ago = old.stat().st_mtime - files.GIVEN_UP - 3600
    os.utime(old, (long_ago, long_ago))
    assert remove_leftovers([tmp_path]) == [old]
    assert new.exists()


def test_a_folder_that_is_looked_at_alone_keeps_what_is_below_it(tmp_path):
    here, below = left(tmp_path, ended()), left(tmp_path / "metadata", ended())
    assert remove_leftovers([tmp_path / "nowhere"], alone=[tmp_path, tmp_path / "nowhere"]) == [here]
    assert below.exists()


def test_what_lies_below_a_link_is_met_once(tmp_path):
    scratch, results = tmp_path / "scratch", tmp_path / "results"
    scratch.mkdir()
    results.mkdir()
    (results / "real").symlink_to(scratch)
    (scratch / "back").symlink_to(results)
    killed = left(scratch, ended())
    assert remove_leftovers([results]) == [results / "real" / killed.name]
    assert not killed.exists()


def test_a_digest_is_that_of_the_content(tmp_path):
    for name, text in (("one", "x"), ("two", "x"), ("three", "y")):
        (tmp_path / name).write_text(text)
    one, two, three = (file_digest(tmp_path / name) for name in ("one", "two", "three"))
    assert one == two != three
    assert re.fullmatch("[0-9a-f]{16}", one)


# Clocks


def test_files_of_the_future_are_dated_today_and_others_keep_their_time(tmp_path):
    now = time.time()
    times = {"far.csv": now + 86_400, "deep/far.csv": now + 9e8, "near.csv": now + 60, "old.csv": now - 9e8}
    for name, when in times.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("whole")
        os.utime(tmp_path / name, (when, when))
    (tmp_path / "nowhere").symlink_to("nothing")
    assert bring_back([tmp_path, tmp_path / "missing"]) == [tmp_path / "deep/far.csv", tmp_path / "far.csv"]
    assert bring_back([tmp_path]) == []
    today = {(tmp_path / name).stat().st_mtime for name in ("far.csv", "deep/far.csv")}
    assert len(today) == 1, "none is newer than what is made of it"
    assert now <= today.pop() + 1 <= time.time() + 1
    assert (tmp_path / "old.csv").stat().st_mtime == pytest.approx(times["old.csv"])


def test_a_name_that_the_system_does_not_take_is_no_file(tmp_path):
    (tmp_path / "file").touch()
    assert is_file(tmp_path / "file")
    assert is_folder(tmp_path)
    for name in ("absent", "x" * 300, "null\0byte", "file/below"):
        assert not is_file(tmp_path / name)
        assert not is_folder(tmp_path / name)


def test_an_error_names_the_file_that_is_wanted(tmp_path):
    with pytest.raises(PermissionError) as caught, whole_file(tmp_path / "a.txt") as part:
        raise PermissionError(errno.EROFS, "Read-only file system", str(part))
    assert caught.value.filename == str(tmp_path / "a.txt")
