"""Files are opened in `dpmia.common.reading`, where they are checked, and nowhere else."""

import ast
from pathlib import Path

REPOSITORY = Path(__file__).parents[3]

#: Modules that unpack, and functions that parse; the reading itself.
MODULES = {"bz2", "gzip", "lzma", "pyarrow", "shelve", "tarfile", "zipfile", "zlib"}
CALLS = {
    *("np.load", "np.fromfile", "np.loadtxt", "np.genfromtxt", "np.memmap", "csv.reader", "csv.DictReader"),
    *("pd.read_csv", "pd.read_parquet", "pd.read_json", "pd.read_pickle", "pd.read_table", "json.load"),
    *("pickle.load", "pickle.loads", "torch.load", "joblib.load", "yaml.safe_load", "tomllib.load"),
}
HOME = "dpmia/common/reading/"

#: What packs and opens nothing: the report, files to save; published tables.
ONLY_WRITES = {"dpmia/report/page.py": ["gzip"], "dpmia/report/published.py": ["zipfile"]}


def violations(name, code):
    """Return what a file of Python opens by itself."""
    opened = []
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            opened += [alias.name for alias in node.names if alias.name.partition(".")[0] in MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module:
            opened += [node.module] if node.module.partition(".")[0] in MODULES else []
            opened += [
                f"{node.module}.{alias.name}" for alias in node.names if _called(node.module, alias.name) in CALLS
            ]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            opened += [ast.unparse(node)] if ast.unparse(node) in CALLS else []
    return [] if name.startswith(HOME) else opened


def _called(module, name):
    return f"{ {'numpy': 'np', 'pandas': 'pd'}.get(module, module) }.{name}"


def test_no_module_opens_files_by_itself():
    files = [file for folder in ("dpmia", "scripts") for file in (REPOSITORY / folder).rglob("*.py")]
    names = {file.relative_to(REPOSITORY).as_posix(): file.read_text(encoding="utf-8") for file in files}
    assert len(names) > 100
    by_file = {name: violations(name, code) for name, code in names.items()}
    assert {name: opened for name, opened in by_file.items() if opened} == ONLY_WRITES


def test_the_check_sees_what_it_is_for():
    assert violations("dpmia/x.py", "import gzip") == ["gzip"]
    assert violations("dpmia/x.py", "from zipfile import ZipFile") == ["zipfile"]
    assert violations("dpmia/x.py", "from numpy import load") == ["numpy.load"]
    assert violations("dpmia/x.py", "def f():\n    return np.load(path)['x']") == ["np.load"]
    assert violations("dpmia/x.py", "rows = csv.DictReader(lines)") == ["csv.DictReader"]
    assert violations("dpmia/x.py", "np.savez(part); csv.writer(file); json.loads(text)") == []
    assert violations(f"{HOME}x.py", "import gzip") == []
