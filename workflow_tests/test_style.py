"""The tree is formatted, linted and typed."""

from __future__ import annotations

import ast
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
        ["snakefmt", "--check", "Snakefile", "rules"],
        ["snakemake", "--lint"],
        ["mypy"],
    ],
    ids=" ".join,
)
def test_style(command):
    program = Path(sys.executable).parent / command[0]
    response = subprocess.run([program, *command[1:]], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert response.returncode == 0, response.stdout + response.stderr


#: Every package of the library; each imports from those before it and no others.
LAYERS = (
    # What needs no data and no models.
    *("common", "theory", "privacy"),
    # What jobs hand each other, how it is measured, and what is asked for.
    *("formats", "metrics", "jobs", "settings"),
    *("datasets", "splits", "models", "mip", "training", "attacks"),
    # From the files of models to tables, and to what is made of them.
    *("evaluation", "studies", "claims", "papers"),
    # From settings to jobs, where their files stand, and what is said of a run. No job needs the plan.
    *("planning", "workflow", "report", "audit", "validation"),
    # The ways in.
    *("api", "cli"),
)


def _of(file):
    """Return the package or module at the top of the library that a file belongs to."""
    return file.relative_to(REPOSITORY / "dpmia").parts[0].removesuffix(".py")


def test_imports_go_downwards_only():
    from dpmia.workflow.digest import imports

    files = [file for file in (REPOSITORY / "dpmia").rglob("*.py") if _of(file) != "__init__"]
    assert {*map(_of, files)} == {*LAYERS}, "every part of the library has its place in LAYERS"
    for file in files:
        below = LAYERS[: LAYERS.index(_of(file)) + 1]
        above = {f"dpmia.{layer}" for layer in LAYERS if layer not in below}
        wrong = sorted(module for module in imports(ast.parse(file.read_text())) if module in above)
        assert not wrong, f"{file.relative_to(REPOSITORY)} imports {', '.join(wrong)}"


def test_seaborn_is_imported_where_figures_are_drawn_and_in_no_other_job():
    from dpmia.workflow.digest import imports, reached

    drawing = {"make_artifact.py", "judge_claims.py", "make_audit.py", "make_report.py", "plan.py"}
    scripts = {file.name: file for file in (REPOSITORY / "scripts").glob("*.py")}
    assert drawing <= {*scripts}
    for name, script in scripts.items():
        files = [file for file in reached([script]) if "seaborn" in imports(ast.parse(file.read_text()))]
        assert bool(files) == (name in drawing), f"{name} reaches {', '.join(file.name for file in files)}"
    for layer in LAYERS[: LAYERS.index("papers")]:
        for file in (REPOSITORY / "dpmia" / layer).rglob("*.py"):
            assert not {"seaborn", "matplotlib.pyplot"} & imports(ast.parse(file.read_text())), file


def test_no_training_job_imports_an_accountant_before_it_needs_one():
    from dpmia.workflow.digest import imports, reached

    private = []
    for script in (REPOSITORY / "scripts").glob("train_*.py"):
        needing = {file for file in reached([script]) if "dp_accounting" in imports(ast.parse(file.read_text()))}
        private += [script.name] * bool(needing)
        assert not needing & _imported_at_once(script), f"{script.name} imports {', '.join(map(str, needing))}"
    assert {"train_block.py", "train_references.py"} <= {*private}


def test_a_table_is_made_without_seaborn():
    from dpmia.papers.humphries import limits
    from dpmia.workflow.digest import imports, reached

    for start in (REPOSITORY / "scripts/make_artifact.py", Path(limits.__file__)):
        drawing = {file for file in _imported_at_once(start) if "seaborn" in imports(ast.parse(file.read_text()))}
        assert not drawing, f"{start.name} imports {', '.join(map(str, drawing))}"
    assert any("drawing" in file.parts for file in reached([REPOSITORY / "scripts/make_artifact.py"]))


def _imported_at_once(start):
    """Return the files of the library that are imported when a script starts, `start` included."""
    from dpmia.workflow.digest import _file_of, imports

    files, queue = set(), [start]
    while queue:
        file = queue.pop()
        if file not in files:
            files.add(file)
            tree = ast.parse(file.read_text())
            tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
            queue += [below for module in imports(tree) if (below := _file_of(module))]
    return files


def test_the_library_knows_nothing_of_the_workflow_engine():
    for file in (REPOSITORY / "dpmia").rglob("*.py"):
        assert "import snakemake" not in file.read_text()
        assert "from snakemake" not in file.read_text()


def test_the_architecture_page_lists_the_packages_in_their_order():
    page = (REPOSITORY / "docs/architecture.md").read_text(encoding="utf-8")
    packages = re.findall(r"^\| `(\w+)` \|", page.partition("## From raw file to figure")[0], re.MULTILINE)
    assert [package for package in packages if package in LAYERS] == [*LAYERS]


#: Lines of the longest file of code.
LONGEST = 420


def test_files_are_short():
    files = [
        file
        for folder in ("dpmia", "rules", "scripts", "benchmarks", "workflow_tests")
        for file in (REPOSITORY / folder).rglob("*")
    ]
    lengths = {
        file.relative_to(REPOSITORY).as_posix(): len(file.read_text(encoding="utf-8").splitlines())
        for file in files
        if file.suffix in (".py", ".smk", ".js", ".html", ".css")
    }
    assert lengths["workflow_tests/test_style.py"] > 50
    assert not [name for name, lines in lengths.items() if lines > LONGEST]


def test_what_the_library_imports_is_declared():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]
    declared = {re.split(r"[=<>\[]", line)[0].lower().replace("_", "-") for line in lines}
    # Parts of other libraries, which pin them.
    declared |= {"cycler", "pydantic-core"}
    imported = set()
    for file in (REPOSITORY / "dpmia").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {name.name.partition(".")[0] for name in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                imported.add(node.module.partition(".")[0])
    foreign = imported - set(sys.stdlib_module_names) - {"dpmia", "_typeshed"}
    providers = importlib.metadata.packages_distributions() | {"pyarrow": ["pyarrow"]}
    undeclared = {
        name for name in foreign if not declared & {provider.lower().replace("_", "-") for provider in providers[name]}
    }
    assert "torch" in foreign
    assert not undeclared
