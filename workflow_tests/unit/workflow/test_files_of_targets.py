"""What each target makes, and what is fetched for it."""

import pytest

from dpmia.common.errors import UserError
from dpmia.papers.catalogue import PAPERS
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.workflow.layout import RunLayout
from dpmia.workflow.scope import Scope
from dpmia.workflow.targets import Targets

RUN = "results/synthetic-smoke"


def targets_of(**config):
    files = ["experiments/humphries.yaml", "experiments/ye.yaml", "experiments/yeom.yaml", "experiments/izzo.yaml"]
    return Targets(Scope(RunLayout(make_plan({"scale": "smoke", "experiments": files, **config}, ROOT))))


@pytest.fixture(scope="module")
def synthetic():
    return targets_of()


@pytest.fixture(scope="module")
def files(synthetic):
    return synthetic.files([f"{RUN}/report.html"])


def test_a_target_makes_what_its_tables_take(files):
    made = files["humphries_fig2"]
    assert f"{RUN}/summary/adult_cluster.csv" in made
    assert "resources/synthetic-smoke/raw/adult/adult.data" in made
    assert made[-1].startswith(f"{RUN}/figures/humphries/humphries_fig2.")
    assert not [file for file in made if "compas" in file]
    assert f"{RUN}/studies/yeom_iwpc.csv" in files["yeom_fig2a"]


def test_models_without_one_record_are_made_for_the_tables_of_single_records(files):
    made = files["ye_table2"]
    assert f"{RUN}/per_record/ye_purchase.csv" in made
    assert [file for file in made if file.startswith(f"{RUN}/leave_one_out/ye_purchase/IIa/target-0/")]


def test_a_paper_makes_what_its_figures_and_tables_do_and_all_makes_everything(synthetic, files):
    papers = {*PAPERS} - {"thudi"}  # whose file is not read here
    for paper in papers:
        of_one = [artifact.name for artifact in synthetic.scope.available(paper)]
        assert {*files[paper]} == {file for name in of_one for file in files[name]}
        assert {*files[paper]} <= {*files["all"]}
    assert f"{RUN}/report.html" in files["all"]
    assert f"{RUN}/summary/adult_cluster_add_remove.csv" in files["all"]


def test_audits_make_their_models_and_reports_and_are_there_where_settings_have_one(files):
    patients = {"scale": "smoke", "experiments": ["experiments/patients.yaml"]}
    made = Targets(Scope(RunLayout(make_plan(patients, ROOT)))).files([])["audit"]
    assert made[-1] == f"{RUN}/audit-patients.html"
    assert [file for file in made if "/signals/" in file]
    assert "audit" not in files


def test_files_that_an_experiment_has_are_not_refused(synthetic, files):
    synthetic.check(files["all"])
    synthetic.check(["humphries_fig2", "results/of/mine.csv", f"./{RUN}/summary/adult_cluster.csv"])
    synthetic.check([f"{RUN}/engines/student.csv"])  # of a file of settings, which may be named so


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("accuracy/adult_cluster/block-7.csv", "accuracy/adult_cluster/block-0.csv"),
        ("metrics/student/average_threshold/block-9.csv", "metrics/student/average_threshold/block-0.csv"),
        ("splits/student/block-7.npz", "splits/student/block-0.npz"),
        ("signals/student/0.3_inf/block-0.npz", "/block-0.npz"),
        ("references/student/1_inf/block-0.npz", None),
        ("per_record/student.csv", None),
    ],
)
def test_files_that_an_experiment_does_not_have_are_refused(synthetic, wrong, meant):
    with pytest.raises(UserError, match=f"target {RUN}/{wrong}: [a-z_]+ has no such file with these settings") as error:
        synthetic.check(["all", f"{RUN}/{wrong}"])
    assert meant is None or f"{meant}'?" in str(error.value)


def test_what_is_missing_is_fetched_unless_it_comes_from_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    raw = ["resources/real/raw/adult/adult.data", "resources/real/raw/adult/adult.test"]
    whole = targets_of(data="real").download_of(raw)
    assert 4 < whole < 8, "MB"
    (tmp_path / raw[0]).parent.mkdir(parents=True)
    (tmp_path / raw[0]).touch()
    assert 0 < targets_of(data="real").download_of(raw) < whole
    assert targets_of(data="real", data_mirror=str(tmp_path)).download_of(raw) == 0
    assert targets_of().download_of(raw) == 0
