"""The digest of a job's code: what changes it and what does not, on a small package invented here."""

import ast
import json
import os
import shutil
import sys

import pytest

from dpmia.common.errors import DataError, UserError
from dpmia.workflow import digest

FILES = {
    "scripts/job.py": '"""Run."""\nfrom fake.deep import near\nprint(near.work(2))\n',
    "fake/__init__.py": '"""A package."""\n',
    "fake/deep/__init__.py": "",
    "fake/deep/near.py": '"""Near."""\nfrom fake.far import double\n\ndef work(x):\n    """Work."""\n'
    "    from fake.hidden import ONE\n    return double(x) + ONE\n",
    "fake/far.py": "import math\n\ndef double(x):\n    # twice\n    return 2 * x\n",
    "fake/hidden.py": "ONE = 1\n",
    "fake/apart.py": "import fake.apart_too\n\nclass Thing:\n    '''A thing.'''\n    size = 1\n",
    "fake/apart_too.py": "x = 1\n",
    "fake/side/__init__.py": "",
    "fake/side/lonely.py": "x = 1\n",
}


#: What every module of the schema imports.
SCHEMA = "dpmia/settings/base.py"


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A folder with the package and a function that returns the digest of its script."""
    root = tmp_path / "here"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    monkeypatch.setattr(digest, "PACKAGE", "fake")
    look_at(root, monkeypatch)
    yield root
    clear_caches()


def clear_caches():
    for function in (digest._digest, digest._read, digest._file_of):
        function.cache_clear()


def look_at(root, monkeypatch):
    monkeypatch.setattr(digest, "ROOT", root)
    clear_caches()


def of(root, *specs):
    clear_caches()  # a process sees its own code once; here it is edited under way
    return digest.code_digest(root / "scripts/job.py", specs)


def edit(root, name, old, new):
    text = (root / name).read_text()
    assert text.count(old) == 1
    (root / name).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("fake/far.py", "# twice", "# two times"),
        ("fake/far.py", "    # twice\n", ""),
        ("fake/far.py", "2 * x", "2*x"),
        ("fake/far.py", "2 * x", "(2\n        * x)"),
        ("fake/far.py", "import math", "\n\nimport math\n"),
        ("fake/deep/near.py", '"""Near."""', '"""Very near."""'),
        ("fake/deep/near.py", '    """Work."""\n', '    """Work hard.\n\n    Very.\n    """\n'),
        ("fake/deep/near.py", '    """Work."""\n', ""),
        ("fake/__init__.py", '"""A package."""', '"""The package."""'),
        ("scripts/job.py", '"""Run."""', '"""Run it."""  # now'),
    ],
)
def test_comments_docstrings_and_layout_do_not_count(checkout, name, old, new):
    before = of(checkout)
    edit(checkout, name, old, new)
    assert of(checkout) == before


def test_the_numbers_beside_a_module_count_but_not_their_comments(checkout):
    before = of(checkout)
    table = checkout / "fake/far.toml"
    table.write_text("# half\nshare = 0.5\n")
    with_table = of(checkout)
    assert with_table != before
    table.write_text("share  =  0.5  # a half\n")
    assert of(checkout) == with_table
    table.write_text("share = 0.6\n")
    assert of(checkout) not in (before, with_table)


def test_numbers_without_a_module_count_where_they_are_named(checkout):
    before = of(checkout, "fake.lone")
    (checkout / "fake/lone.toml").write_text("share = 0.5\n")
    assert of(checkout) == before
    assert of(checkout, "fake.lone") != before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = (", r"SyntaxError: '\(' was never closed \(far\.py, line 1\)\."),
        (b"# coding: nowhere\n", "SyntaxError: unknown encoding"),
        (b"x = '\xe9'\n", "SyntaxError|ValueError"),
        (b"x = " + b"+".join([b"y"] * 5000), "an expression is nested too deeply"),
        (b"x = " + b"-" * 50_000 + b"1", "an expression is nested too deeply"),
    ],
)
def test_a_file_that_is_no_python_is_named(checkout, content, message):
    (checkout / "fake/far.py").write_bytes(content)
    with pytest.raises(UserError, match=rf"fake/far\.py: ({message})"):
        of(checkout)


def test_the_encoding_that_a_file_states_counts(checkout):
    (checkout / "fake/far.py").write_bytes("# coding: latin-1\nx = 'é'\n".encode("latin-1"))
    latin = of(checkout)
    (checkout / "fake/far.py").write_bytes("\ufeffx = 'é'\n".encode())
    assert of(checkout) == latin


def test_a_touched_script_is_not_a_changed_one(checkout):
    before = of(checkout)
    (checkout / "scripts/job.py").touch()
    assert of(checkout) == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("scripts/job.py", "work(2)", "work(3)"),
        ("fake/deep/near.py", "double(x) + ONE", "double(x) - ONE"),
        ("fake/far.py", "2 * x", "3 * x"),  # imported by what is imported
        ("fake/hidden.py", "1", "2"),  # imported inside a function
        ("fake/__init__.py", '"""A package."""', "import math"),  # runs whenever a module of the package does
        ("fake/far.py", "    return 2 * x", "    'no docstring'; return 2 * x; 'nor this'"),
    ],
)
def test_code_that_the_job_reaches_counts(checkout, name, old, new):
    before = of(checkout)
    edit(checkout, name, old, new)
    assert of(checkout) != before


def test_an_empty_package_file_counts_once_there_is_code_in_it(checkout):
    before = of(checkout)
    (checkout / "fake/deep/__init__.py").write_text("import os\n")
    assert of(checkout) != before


def test_modules_that_the_job_does_not_reach_do_not_count(checkout):
    before = of(checkout)
    edit(checkout, "fake/apart.py", "size = 1", "size = 2")
    edit(checkout, "fake/apart_too.py", "x = 1", "x = 2")
    (checkout / "fake/new.py").write_text("y = 1\n")
    assert of(checkout) == before


@pytest.mark.parametrize("spec", ["fake.apart", "fake.apart:Thing"])
def test_a_module_loaded_by_name_counts_with_what_it_imports(checkout, spec):
    assert of(checkout, spec) != of(checkout)
    for name, old, new in [("fake/apart.py", "size = 1", "size = 2"), ("fake/apart_too.py", "x = 1", "x = 2")]:
        before = of(checkout, spec)
        edit(checkout, name, old, new)
        assert of(checkout, spec) != before


def test_what_a_file_of_ones_own_imports_from_its_folder_counts(checkout, tmp_path):
    own = tmp_path / "own"
    (own / "parts").mkdir(parents=True)
    (own / "mine.py").write_text("import math\nfrom layers import block\nfrom parts.deep import more\n")
    (own / "layers.py").write_text("from fake.hidden import ONE\n\ndef block():\n    return ONE\n")
    (own / "parts/deep.py").write_text("more = 1\n")
    (own / "other.py").write_text("x = 1\n")
    spec = f"{own / 'mine.py'}:Mine"
    for root, name, old, new in [
        (own, "layers.py", "return ONE", "return 2"),
        (own, "parts/deep.py", "more = 1", "more = 2"),
        (checkout, "fake/hidden.py", "ONE = 1", "ONE = 2"),
    ]:
        before = of(checkout, spec)
        edit(root, name, old, new)
        assert of(checkout, spec) != before
    before = of(checkout, spec)
    edit(own, "other.py", "x = 1", "x = 2")
    assert of(checkout, spec) == before


def test_two_files_of_one_name_in_two_folders_both_count(checkout, tmp_path, monkeypatch):
    for folder in ("a", "b"):
        (tmp_path / "own" / folder).mkdir(parents=True)
        (tmp_path / "own" / folder / "net.py").write_text("x = 1\n")
    for here, files in ((tmp_path / "own", ["a/net.py", "b/net.py"]), (checkout, [])):
        monkeypatch.chdir(here)
        specs = [f"{file}:net" for file in files] or [f"{tmp_path}/own/{folder}/net.py:net" for folder in "ab"]
        for folder in ("a", "b"):
            before = of(checkout, *specs)
            edit(tmp_path / "own" / folder, "net.py", "x = 1", "x = 2")
            assert of(checkout, *specs) != before, (here, folder)
            edit(tmp_path / "own" / folder, "net.py", "x = 2", "x = 1")
            assert of(checkout, *specs) == before


def test_an_edited_file_of_ones_own_is_named_by_a_later_process(checkout, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.py").write_text("x = 1\n")
    before = of(checkout, "net.py:net")
    digest.remember(tmp_path / "code")
    clear_caches()
    assert digest.edited_files(before, tmp_path / "code") == []
    edit(tmp_path, "net.py", "x = 1", "x = 2")
    clear_caches()
    assert digest.edited_files(before, tmp_path / "code") == ["net.py"]


def test_the_package_around_a_module_loaded_by_name_counts(checkout):
    before = of(checkout, "fake.side.lonely")
    (checkout / "fake/side/__init__.py").write_text("import os\n")
    assert of(checkout, "fake.side.lonely") != before


def test_names_of_other_packages_are_no_files(checkout):
    assert of(checkout, "math:sqrt") == of(checkout)


def test_the_order_of_names_does_not_count(checkout):
    assert of(checkout, "fake.apart", "fake.far") == of(checkout, "fake.far", "fake.apart")


def test_code_moved_to_another_file_counts(checkout):
    before = of(checkout)
    shutil.move(checkout / "fake/hidden.py", checkout / "fake/hidden_.py")
    edit(checkout, "fake/deep/near.py", "from fake.hidden", "from fake.hidden_")
    assert of(checkout) != before


def test_it_does_not_matter_where_the_checkout_lies(checkout, tmp_path, monkeypatch):
    before = of(checkout, "fake.apart")
    shutil.copytree(checkout, tmp_path / "elsewhere" / "there")
    look_at(tmp_path / "elsewhere" / "there", monkeypatch)
    assert of(tmp_path / "elsewhere" / "there", "fake.apart") == before


def test_it_does_not_matter_how_the_path_of_the_script_is_written(checkout, monkeypatch):
    before = of(checkout)
    monkeypatch.chdir(checkout)
    clear_caches()
    assert digest.code_digest("scripts/job.py") == before
    clear_caches()
    assert digest.code_digest(checkout / "scripts/../scripts/job.py") == before


def test_a_digest_is_sixteen_hexadecimal_digits(checkout):
    assert len(of(checkout)) == 16
    int(of(checkout), 16)


def test_what_is_reached_in_this_project():
    names = {
        path.relative_to(digest.ROOT).as_posix()
        for path in digest.reached([digest._file_of("dpmia.evaluation.attacks")])
    }
    assert {
        "dpmia/evaluation/attacks.py",
        "dpmia/metrics/ranking.py",
        "dpmia/formats/signals.py",
        "dpmia/__init__.py",
    } <= names
    assert not {name for name in names if name.startswith(("dpmia/training", "dpmia/papers", "dpmia/datasets"))}
    assert SCHEMA not in names, "a new key must not rerun a job"


@pytest.mark.parametrize("script", sorted(path.name for path in (digest.ROOT / "scripts").glob("[!_]*.py")))
def test_no_job_reaches_the_schema_the_plan_or_the_catalogue(script):
    reached = {path.relative_to(digest.ROOT).as_posix() for path in digest.reached([digest.ROOT / "scripts" / script])}
    # These show every artifact: a new one makes them anew.
    catalogue = set() if script in ("make_report.py", "publish.py") else {"dpmia/papers/catalogue.py"}
    assert not reached & {SCHEMA, "dpmia/settings/names.py", *catalogue}
    assert not {name for name in reached if name.startswith("dpmia/planning/")}


@pytest.mark.parametrize("folder", ["dpmia", "scripts"])
def test_the_project_imports_by_whole_names_which_the_digest_can_follow(folder):
    for file in (digest.ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), f"{file} imports relatively"


def test_the_edited_files_behind_an_earlier_digest_are_named(checkout, tmp_path):
    before = of(checkout)
    digest.remember(tmp_path / "code")
    assert digest.edited_files(before, tmp_path / "code") == []
    edit(checkout, "fake/far.py", "# twice", "# two times")
    edit(checkout, "fake/side/lonely.py", "x = 1", "x = 2")
    clear_caches()
    assert digest.edited_files(before, tmp_path / "code") == []
    edit(checkout, "fake/far.py", "2 * x", "3 * x")
    clear_caches()
    assert digest.edited_files(before, tmp_path / "code") == ["fake/far.py"]
    (checkout / "fake/far.py").unlink()
    clear_caches()
    assert digest.edited_files(before, tmp_path / "code") == ["fake/far.py"]
    assert digest.edited_files("0123456789abcdef", tmp_path / "code") == []


@pytest.fixture
def kept(checkout, tmp_path, monkeypatch):
    """Return a file with what was read of the package, of which this process knows nothing more."""
    monkeypatch.setattr(digest, "_parsed", [])
    monkeypatch.setattr(digest, "_file_syntax", {})
    before = of(checkout)
    file = tmp_path / "syntax.json"
    digest.keep(file)
    monkeypatch.setattr(digest, "_file_syntax", {})
    monkeypatch.setattr(digest, "_parsed", [])
    return file, before


def test_what_was_read_before_is_not_parsed_again(checkout, kept, monkeypatch):
    file, before = kept
    digest.recall(file)
    monkeypatch.setattr(digest, "_parse", None)
    assert of(checkout) == before
    file.unlink()
    digest.keep(file)
    assert not file.exists()


def test_where_nothing_can_be_written_nothing_is_kept_and_nothing_said(checkout, tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(digest, "_parsed", [])
    monkeypatch.setattr(digest, "_file_syntax", {})
    of(checkout)
    assert digest._parsed
    (tmp_path / "a file").write_text("")
    digest.keep(tmp_path / "a file/syntax.json")
    assert capfd.readouterr() == ("", "")


def test_an_edited_module_is_parsed_again_whatever_its_time(checkout, kept):
    file, before = kept
    digest.recall(file)
    module = checkout / "fake/far.py"
    times = module.stat()
    edit(checkout, "fake/far.py", "2 * x", "3 * x")
    os.utime(module, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert of(checkout) != before
    assert digest._parsed == [module]


def test_what_another_parser_kept_is_not_taken(checkout, kept, monkeypatch):
    file, _ = kept
    monkeypatch.setattr(sys, "version", "another")
    digest.recall(file)
    assert digest._file_syntax == {}


@pytest.mark.parametrize("entries", [3, {"a.py": 3}, {"a.py": [[1, 2, 3], ["m"]]}, {"a.py": [[1, 2, 3], [["m"]], "x"]}])
def test_a_damaged_file_of_what_was_read_is_refused(kept, entries):
    file, _ = kept
    file.write_text(json.dumps(json.loads(file.read_text()) | {"known": entries}))
    with pytest.raises(DataError, match="it is not what was written"):
        digest.recall(file)


def test_an_altered_name_of_a_module_is_refused(kept):
    file, _ = kept
    file.write_text(file.read_text().replace("far", "fax", 1))
    with pytest.raises(DataError, match="another checksum"):
        digest.recall(file)


@pytest.mark.parametrize("text", ["[]", '{"fake/far.py": 3}', "3"])
def test_a_damaged_record_of_code_is_refused(tmp_path, text):
    (tmp_path / "0123456789abcdef.json").write_text(text)
    with pytest.raises(DataError, match="it is not what was written"):
        digest.edited_files("0123456789abcdef", tmp_path)
