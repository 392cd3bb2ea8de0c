"""Experiments of the working folder count; where there are none, those of the workflow do."""

import pytest

from dpmia.common.errors import ConfigError
from dpmia.planning.experiment_files import file_names, with_bundled_tables
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT


@pytest.fixture
def folders(tmp_path):
    root, home = tmp_path / "root", tmp_path / "home"
    for folder in (root, home):
        (folder / "experiments").mkdir(parents=True)
    (home / "experiments/theirs.yaml").touch()
    return root, home


def test_the_working_folder_counts_first(folders):
    root, home = folders
    assert file_names(["experiments/*.yaml"], root, home) == [str(home / "experiments/theirs.yaml")]
    (root / "experiments/mine.yaml").touch()
    assert file_names(["experiments/*.yaml"], root, home) == ["experiments/mine.yaml"]
    assert file_names(["experiments/theirs.yaml"], root, home) == [str(home / "experiments/theirs.yaml")]
    assert file_names(["experiments/none.yaml"], root, home) == ["experiments/none.yaml"]
    with pytest.raises(ConfigError, match=r"config, experiments: 'other/\*\.yaml' matches no file\."):
        file_names(["other/*.yaml"], root, home)


def test_a_file_that_two_patterns_match_is_named_once(folders):
    root, home = folders
    for name in ("ours", "mine"):
        (root / f"experiments/{name}.yaml").touch()
    patterns = ["experiments/o*.yaml", "experiments/*.yaml", "experiments/mine.yaml"]
    assert file_names(patterns, root, home) == ["experiments/ours.yaml", "experiments/mine.yaml"]


def test_tables_beside_the_workflow_are_found_unless_the_folder_has_its_own(folders):
    root, home = folders
    (home / "patients.csv").touch()
    content = {
        "defaults": {"dataset": {"path": "patients.csv", "label": "y"}},
        "experiments": {"a": {"dataset": "heart"}},
    }
    resolved = with_bundled_tables(content, root, home)
    assert resolved["defaults"]["dataset"] == {"path": str(home / "patients.csv"), "label": "y"}
    assert resolved["experiments"] == content["experiments"]
    (root / "patients.csv").touch()
    assert with_bundled_tables(content, root, home) == content


def test_all_experiments_of_the_workflow_are_planned_from_an_empty_folder(tmp_path):
    there, here = make_plan({}, tmp_path, ROOT), make_plan({}, ROOT)
    assert there.experiments.keys() == here.experiments.keys()
    assert there.experiments["student"] == here.experiments["student"]
    (audit,) = there.audits.values()
    assert there.experiments[audit[0]].dataset.path == str(ROOT / "examples/patients.csv")
