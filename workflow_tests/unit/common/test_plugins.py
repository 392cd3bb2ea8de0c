"""Parts of other packages and of files, beside those of the library."""

import os
import subprocess
import sys

import numpy as np
import pytest

from dpmia import attack
from dpmia.common import plugins
from dpmia.common.errors import ConfigError, UserError
from dpmia.common.plugins import EntryPoint, Parts, errors_of_file, installed
from dpmia.common.registry import check_part_of_file, load
from dpmia.planning.plan import make_plan
from dpmia.settings import names
from dpmia.workflow import digest

ATTACK = """
import numpy as np
from dpmia.attacks.base import Attack

class Sureness(Attack):
    def __init__(self, share=0.5, power=1):
        self.share, self.power = share, power

    def scores(self, signal, knowledge, rng):
        return np.abs(np.diff(signal.logits, axis=1)[:, 0]).astype(float) ** self.power

    def decisions(self, signal, scores):
        return scores >= np.quantile(scores, 1 - self.share)
"""

SETTINGS = """
paper: own
experiments:
  mine:
    dataset: heart
    membership: {kind: iid, members: 40, nonmembers: 40}
    arms: {iid: {}}
    iid_arms: false
    model: {kind: mlp, hidden: [8]}
    training: {batch_size: 10, epochs: 1}
    epsilons: [[inf]]
    replicates: 1
    block: 1
    attacks: {mine: {kind: "my_attack.py:Sureness", arguments: {share: 0.25}}}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return a folder with an attack in a file, and settings that name it; it is the working folder."""
    (tmp_path / "my_attack.py").write_text(ATTACK, encoding="utf-8")
    (tmp_path / "own.yaml").write_text(SETTINGS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_attack_in_a_file_is_planned_and_made(folder):
    from dpmia.planning import jobs

    experiment = make_plan({"experiments": ["own.yaml"]}, folder).experiments["mine"]
    job = jobs.attack_job(experiment, "mine")
    assert (job.attack, job.options) == ("my_attack.py:Sureness", {"share": 0.25})
    made = job.make()
    assert (type(made).__name__, made.share, made.power) == ("Sureness", 0.25, 1)
    assert names.ATTACKS["my_attack.py:Sureness"].options == ("share", "power")


def test_an_attack_in_a_file_attacks_arrays(folder):
    logits = np.array([[5, 0], [3, 0], [1, 0], [0, 0]])
    given = {"mine": {"kind": "my_attack.py:Sureness", "power": 2}}
    result = attack(logits, [0, 0, 1, 1], [1, 1, 0, 0], attacks=given)["mine"]
    assert result.scores.tolist() == [25, 9, 1, 0]
    assert result.auc.value == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("my_attack.py:", "other.py:", r"'other\.py' is not a file in"),
        (
            "share: 0.25",
            "shair: 0.25",
            r"attack 'mine' does not take shair\. Options of 'my_attack\.py:Sureness': sh",
        ),
        (":Sureness", ":Surenes", r"my_attack\.py has no class or function 'Surenes'\. Did you mean 'Sureness'\?"),
        ("kind: iid,", 'kind: "my_attack.py:drawn",', r"my_attack\.py has no class or function 'drawn'"),
        ('"my_attack.py:Sureness"', "random", r"attack 'mine' does not take arguments: it is built in\."),
        ('"my_attack.py:Sureness"', "lyra", r"Did you mean 'lira'\?"),
        ("kind: iid,", "kind: iid, arguments: {x: 1},", r"kind 'iid' does not take arguments"),
        ("kind: mlp,", 'kind: "my_attack.py:Sureness",', r"which is not built in, does not take hidden"),
    ],
)
def test_mistakes_name_the_place(folder, old, new, message):
    (folder / "own.yaml").write_text(SETTINGS.replace(old, new), encoding="utf-8")
    with pytest.raises(ConfigError, match=message) as caught:
        make_plan({"experiments": ["own.yaml"]}, folder)
    assert str(caught.value).startswith("own.yaml, ")


def test_errors_of_the_users_code_name_its_line(folder):
    (folder / "broken.py").write_text("x = 1\ny = x / 0\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"broken\.py, line 2: ZeroDivisionError: division by zero\."):
        load("broken.py:y")
    (folder / "typo.py").write_text("x = 1\ny = = x\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"typo\.py, line 2: SyntaxError"):
        load("typo.py:y")
    with pytest.raises(UserError, match=r"my_attack\.py: it has no object 'Surenes'\. Did you mean 'Sureness'\?"):
        load("my_attack.py:Surenes")
    with pytest.raises(UserError, match=r"nowhere\.py: there is no such file\."):
        load("nowhere.py:x")


@pytest.mark.parametrize(
    ("uses", "near"),
    [('"references"', ""), ('("refrences",)', "Did you mean 'references'?"), ('("features", "x")', "")],
)
def test_an_attack_that_uses_what_no_attacker_has_is_refused_before_anything_runs(folder, uses, near):
    code = f"from dpmia.attacks.base import Attack\nclass Sureness(Attack):\n    uses = {uses}\n"
    (folder / "my_attack.py").write_text(code, encoding="utf-8")
    with pytest.raises(UserError, match=r"^my_attack\.py:Sureness: its attribute uses is ") as caught:
        make_plan({"experiments": ["own.yaml"]}, folder)
    assert "Write a tuple of: population, shadows, references, distilled, leave_one_out, features." in str(caught.value)
    assert near in str(caught.value)


@pytest.mark.parametrize(
    "code", ["class Sureness:\n    uses = ()\n", "def Sureness(share):\n    pass\n", "Sureness = 3\n"]
)
def test_an_attack_that_is_no_subclass_is_refused_before_anything_runs(folder, code):
    (folder / "my_attack.py").write_text(code, encoding="utf-8")
    message = r"^my_attack\.py:Sureness: not a subclass of dpmia\.attacks\.base\.Attack\. Derive it from that class\.$"
    with pytest.raises(UserError, match=message):
        make_plan({"experiments": ["own.yaml"]}, folder)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("Sureness.__init__ = []\n", r"^my_attack\.py, attack: TypeError: "),
        ("Sureness.uses = 5\n", r"^my_attack\.py:Sureness: its attribute uses is 5\. Write a tuple of: "),
        ("del Sureness\ndef __getattr__(name):\n    1 / 0\n", r"^my_attack\.py, line 16, object 'Sureness': ZeroDiv"),
    ],
)
def test_an_attack_that_cannot_be_looked_at_is_named(folder, more, message):
    with (folder / "my_attack.py").open("a", encoding="utf-8") as file:
        file.write(more)
    with pytest.raises(UserError, match=message):
        make_plan({"experiments": ["own.yaml"]}, folder)


@pytest.mark.parametrize(
    "code",
    [
        "from torch.nn import Linear as make\n",
        "import torch.nn as make\n",
        "make = lambda: 1\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\nelse:\n    def make():\n        pass\n",
        "one, (make, *rest) = 1, (2, 3)\n",
        "make: object = 1\n",
        "from os.path import *\n",
        "def __getattr__(name):\n    return 1\n",
        "globals()['make'] = 1\n",
    ],
)
def test_names_that_a_file_has_or_may_have_are_taken_without_running_it(folder, code):
    (folder / "part.py").write_text("1 / 0\n" + code, encoding="utf-8")
    check_part_of_file("part.py", "make")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (b"def maker():\n    make = 1\n", r"^part\.py has no class or function 'make'\. Did you mean 'maker'\?$"),
        (b"class A:\n    make = 1\n", r"^part\.py has no class or function 'make'\.$"),
        (b"print(make)\n", r"^part\.py has no class or function 'make'\.$"),
        (b"x = 1\ny = = x\n", r"^part\.py, line 2: SyntaxError: invalid syntax$"),
        (b"make = 1\0\n", r"^part\.py"),
        (b"make = '\xff'\n", r"^part\.py"),
    ],
)
def test_a_file_without_the_name_is_refused_without_running_it(folder, code, message):
    (folder / "part.py").write_bytes(code)
    with pytest.raises(ValueError, match=message):
        check_part_of_file("part.py", "make")


def test_a_file_is_run_once(folder):
    assert load("my_attack.py:Sureness") is load("my_attack.py:Sureness")


def test_files_import_what_stands_beside_them_whatever_others_have_imported(folder):
    """Two folders with helpers of the same names, in a module and in a package; each part has its own, at all times."""
    part = "from helper import SIZE\nfrom parts.deep import MORE\n\ndef make():\n    return SIZE + MORE\n"
    for name, size in (("a", 1), ("b", 2)):
        (folder / name / "parts").mkdir(parents=True)
        (folder / name / "helper.py").write_text(f"SIZE = {size}\n")
        (folder / name / "parts/deep.py").write_text(f"MORE = {10 * size}\n")
        for file in ("first.py", "second.py"):
            (folder / name / file).write_text(part)
    program = (
        "import sys; from dpmia.common.registry import load; before = sys.path[:]\n"
        "print(*[load(f'{file}.py:make')() for file in ('a/first', 'b/first', 'a/second', 'b/second')])\n"
        "assert sys.path[: len(before)] == before, 'modules of these folders go before installed ones'\n"
    )
    run = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["11", "22", "11", "22"], run.stderr


def test_installed_modules_go_before_those_beside_a_file(folder):
    (folder / "json.py").write_text("raise RuntimeError('the wrong module')\n")
    (folder / "part.py").write_text("import json\n\ndef make():\n    return json.dumps([1])\n")
    program = "from dpmia.common.registry import load; print(load('part.py:make')())"
    run = subprocess.run([sys.executable, "-P", "-c", program], capture_output=True, text=True)
    assert run.stdout.split() == ["[1]"], run.stderr


def code_digest(spec, after=()):
    """Return the digest of a process of its own, computed after those of other specs: it remembers them."""
    script = str(digest.ROOT / "scripts/run_attack.py")
    specs = [*after, spec]
    program = f"from dpmia.workflow.digest import code_digest; print(*[code_digest({script!r}, [s]) for s in {specs}])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return run.stdout.split()[-1]


def test_an_edit_of_the_file_changes_the_digest_and_a_comment_does_not(folder):
    before = code_digest("my_attack.py:Sureness")
    (folder / "my_attack.py").write_text("# A comment.\n" + ATTACK, encoding="utf-8")
    assert code_digest("my_attack.py:Sureness") == before
    (folder / "my_attack.py").write_text(ATTACK.replace("power=1", "power=2"), encoding="utf-8")
    assert code_digest("my_attack.py:Sureness") != before


def test_a_digest_is_the_same_whatever_other_plugins_a_plan_uses(folder, monkeypatch):
    (folder / "package").mkdir()
    (folder / "package/__init__.py").touch()
    (folder / "package/attack.py").write_text(ATTACK, encoding="utf-8")
    (folder / "my_attack.py").write_text("import package.attack\n" + ATTACK, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), str(digest.ROOT)]))
    specs = ["package.attack:Sureness", "my_attack.py:Sureness"]
    assert code_digest(specs[0]) == code_digest(specs[0], specs[1:])
    assert code_digest(specs[1]) == code_digest(specs[1], specs[:1])


def test_edited_files_of_plugins_are_named(folder):
    made = digest.code_digest(digest.ROOT / "scripts/run_attack.py", ["my_attack.py:Sureness"])
    digest.remember(folder / "code")
    assert digest.edited_files(made, folder / "code") == []
    (folder / "my_attack.py").write_text(ATTACK.replace("power=1", "power=2"), encoding="utf-8")
    digest._read.cache_clear()
    assert digest.edited_files(made, folder / "code") == ["my_attack.py"]
    digest._read.cache_clear()


def test_names_of_packages_stand_beside_those_of_the_library(monkeypatch):
    offered = {"mine": EntryPoint("math:sqrt", "numbers 2.0"), "taken": EntryPoint("math:cos", "numbers 2.0")}
    monkeypatch.setattr(plugins, "installed", lambda group: offered if group == "dpmia.numbers" else {})
    parts = Parts("dpmia.numbers", {"taken": "math:sin"}, lambda spec: spec)
    assert list(parts) == ["taken", "mine"]
    assert (parts["mine"], parts["taken"]) == ("math:sqrt", "math:sin")
    assert parts.origins() == {"taken": "dpmia", "mine": "numbers 2.0 (math:sqrt)"}
    assert "my_file.py:Thing" in parts
    assert "other" not in parts
    with pytest.raises(ConfigError, match=r"numbers 2\.0, entry point of group dpmia\.numbers: the name 'taken'"):
        parts.check()


def test_without_plugins_there_are_the_parts_of_the_library_only():
    for parts in names.PARTS.values():
        assert installed(parts.group) == {}
        assert set(parts) == set(parts.built_in)


def test_a_file_that_ends_the_process_is_named(folder):
    (folder / "leaves.py").write_text("import sys\n\n\ndef leave():\n    sys.exit('enough')\n")
    leave = load("leaves.py:leave")
    message = r"leaves\.py, line 5, model one: SystemExit: enough"
    with pytest.raises(UserError, match=message), errors_of_file("leaves.py:leave", "model one"):
        leave()
