"""What a run makes of its plan: with all data, with some of them, and with a file of one's own."""

import pytest
import yaml

from dpmia.common.errors import ConfigError
from dpmia.papers.catalogue import PAPERS
from dpmia.planning.plan import make_plan
from dpmia.settings.generate import ROOT
from dpmia.validation.artifacts import KEPT_EPSILON
from dpmia.workflow.layout import RunLayout
from dpmia.workflow.scope import PAPER_OF, Scope

FILES = ["experiments/humphries.yaml", "experiments/izzo.yaml", "experiments/yeom.yaml"]


def scope_of(root=ROOT, files=FILES, **config):
    return Scope(RunLayout(make_plan({"scale": "smoke", "experiments": files, **config}, root)))


@pytest.fixture(scope="module")
def synthetic():
    return scope_of()


@pytest.fixture
def student(tmp_path, monkeypatch):
    """A run on real data of which only those of the students are here, in a folder without results."""
    mirror = tmp_path / "mirror"
    (mirror / "student").mkdir(parents=True)
    (mirror / "student" / "student-por.csv").write_text("")
    monkeypatch.chdir(tmp_path)
    return scope_of(data="real", data_mirror=str(mirror), download=False)


@pytest.fixture
def own(tmp_path):
    """A function that returns a run with a file of one's own beside an experiment of the papers."""

    def make(**config):
        (tmp_path / "clinic.csv").write_text("x,label\n" + "1,0\n2,1\n" * 40)
        experiment = {
            "dataset": {"path": str(tmp_path / "clinic.csv"), "label": "label"},
            "membership": {"kind": "iid", "members": 20, "nonmembers": 20},
            "arms": {"any": {}},
            "iid_arms": False,
            "training": {"batch_size": 10},
            "epsilons": [["inf"]],
            "replicates": 3,
            "block": 3,
            "attacks": {"average_threshold": {}},
        }
        (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"paper": "audit", "experiments": {"clinic": experiment}}))
        return scope_of(tmp_path, [str(ROOT / "experiments/humphries.yaml"), "mine.yaml"], **config)

    return make


def test_synthetic_data_are_always_there(synthetic):
    assert synthetic.not_run == {}
    settings = ("humphries", "izzo", "yeom")
    every = {
        artifact.name
        for paper, artifacts in PAPERS.items()
        for artifact in artifacts
        if paper in settings or not artifact.tables
    }
    assert set(synthetic.artifacts) == every
    for artifact in synthetic.artifacts.values():
        assert synthetic.makes(artifact)
        assert synthetic.tables(artifact) == list(artifact.tables)
        assert synthetic.run_summary(artifact).not_run == {}


def test_an_experiment_whose_table_is_there_needs_no_data(student, tmp_path):
    table = tmp_path / "results/real-smoke/replicates/heart.csv"
    assert not student.runs("heart")
    table.parent.mkdir(parents=True)
    table.touch()
    again = scope_of(data="real", download=False)
    assert again.runs("heart")
    assert not again.runs("adult_cluster")
    assert again.tables(again.artifacts["humphries_fig6"])
    assert not scope_of(data="real", scale="laptop", download=False).runs("heart"), "tables of another run"


def test_a_study_whose_table_is_there_needs_no_data(student, tmp_path):
    table = tmp_path / "results/real-smoke/studies/yeom_iwpc.csv"
    table.parent.mkdir(parents=True)
    table.touch()
    again = scope_of(data="real", download=False)
    assert again.runs("yeom_iwpc")
    assert not again.runs("yeom_eyedata")


def test_what_the_settings_do_not_hold_is_not_made():
    izzo = scope_of(files=["experiments/izzo.yaml"]).artifacts
    assert {PAPER_OF[name] for name, artifact in izzo.items() if artifact.tables} == {"izzo"}
    assert "thudi_theory" in izzo, "it needs no experiment"
    alone = scope_of(files=["experiments/humphries.yaml"])
    assert alone.held(("replicates/student", "studies/izzo_fig2", "replicates/nobody")) == ("replicates/student",)


def test_verdicts_name_experiments_of_other_scales():
    night = scope_of(files=["experiments/thudi.yaml"], scale="night")
    job = night.judge_job(None)
    assert job.not_run["thudi_cifar10"] == "not run at scale night"
    assert not {*job.not_run} & {*job.trained}
    paper = scope_of(files=["experiments/thudi.yaml"], scale="paper")
    assert "thudi_cifar10" not in paper.judge_job(None).not_run


def test_without_data_experiments_are_left_out_with_the_reason(student):
    assert student.runs("student")
    assert student.runs("izzo_fig2"), "it needs no data"
    assert not student.runs("heart")
    assert student.not_run["texas"].endswith("has to be downloaded by hand")
    assert student.not_run["heart"].endswith("is missing, and downloads are off")
    assert student.not_run_of_papers == student.not_run


def test_figures_are_made_of_the_data_that_are_there(student):
    both, none = student.artifacts["humphries_strong"], student.artifacts["humphries_fig6"]
    assert student.tables(both) == ["summary/student_strong"]
    assert set(student.run_summary(both).not_run) == {"adult_cluster_strong"}
    assert student.makes(both)
    assert not student.makes(none)
    assert student.tables(none) == list(none.tables), "a target that is named runs all the same, and fails"
    assert none not in student.available("humphries")
    run = "results/real-smoke"
    assert f"{run}/summary/student.csv" in student.tables_of_all()
    assert f"{run}/summary/heart.csv" not in student.tables_of_all()
    assert f"{run}/replicates/student_strong.csv" in student.tables_of("humphries")
    assert not any("heart" in table for table in student.tables_of("humphries"))
    assert {*student.published_data().values()} == {"student"}


def test_a_name_counts_for_the_run_with_its_summary(student, synthetic):
    fig7 = synthetic.artifacts["humphries_fig7"]
    assert synthetic.run_summary(fig7).synthetic
    assert not student.run_summary(fig7).synthetic
    assert set(student.run_summary(fig7).experiments) == set(student.run_summary(fig7).paper) == {"student"}
    theory = synthetic.artifacts["izzo_theory"]
    assert synthetic.run_summary(theory).without_data
    assert not synthetic.run_summary(theory).synthetic
    study = synthetic.run_summary(synthetic.artifacts["yeom_fig2a"])
    assert study.experiments == study.paper == {}
    assert set(study.studies) == {"yeom_eyedata", "yeom_iwpc"}


def test_verdicts_know_what_was_not_run_and_which_networks_are_others(student, synthetic):
    assert student.judge_job({"student": 2}).times == {"student": 2}
    assert student.judge_job(None).not_run.items() >= student.not_run_of_papers.items()
    assert "yeom_mnist" in synthetic.judge_job(None).other_networks, "on averaged pixels"
    assert "student" not in synthetic.judge_job(None).other_networks
    assert synthetic.judge_job(None).synthetic
    assert set(synthetic.settings(at_paper_scale=True)) == set(synthetic.settings())


def test_a_file_of_ones_own_is_for_runs_on_real_data(own):
    scope = own(data="real", download=False)
    dataset = scope.plan.experiments["clinic"].dataset
    assert scope.runs("clinic")
    assert scope.raw_paths(dataset) == [dataset.path]
    assert scope.layout.prepared("clinic") not in scope.published_data()
    assert "clinic" not in {*scope.judge_job(None).trained, *scope.settings(), *scope.not_run_of_papers}
    assert scope.held(["replicates/clinic"]) == ()
    assert set(scope.progress()["others"]) == {"data", "training", "attacks", "studies"}
    with pytest.raises(ConfigError, match=r"^config, data: .*clinic\.csv is your own: run with data: real\."):
        own().raw_paths(dataset)


def test_progress_lists_each_paper_once_with_the_files_of_its_figures(synthetic):
    progress = synthetic.progress()
    assert set(PAPERS) <= set(progress)
    assert progress["izzo"]["training"] == []
    files = [file for stages in progress.values() for file in stages.get("figures and tables", [])]
    assert len(files) == len(set(files)) == len(synthetic.artifacts)


def test_tables_of_no_paper_lie_apart(synthetic):
    assert all("/tables/validation/" in file for file in synthetic.files(KEPT_EPSILON).values())
    assert all("/figures/yeom/" in file for file in synthetic.files(synthetic.artifacts["yeom_fig3"]).values())
    assert [file for file in synthetic.files_of("izzo") if "izzo_fig1" in file]


def test_private_models_are_checked_where_their_data_are(student, synthetic):
    assert set(synthetic.checked) == {"humphries"}, "Yeom et al. train none"
    assert set(student.checked["humphries"]) == {"student", "student_strong", "student_canaries"}
    assert set(student.private) > set(student.checked["humphries"])
    (check,) = {
        name: engine_check for name, engine_check in student.engine_checks("humphries").items() if name == "student"
    }.values()
    assert check.dataset == student.layout.prepared("student")


def test_lists_of_exposed_records_take_three_replicates(student):
    layout = scope_of(files=[*FILES, "experiments/ye.yaml"], scale="laptop").layout
    assert layout.of_records("student") == [layout.table("exposure", "student")]
    assert layout.of_records("ye_purchase") == [
        layout.table(stage, "ye_purchase") for stage in ("per_record", "exposure")
    ]
    assert student.layout.of_records("student") == [], "at scale smoke there are two"


def test_clusters_and_prepared_data_are_shared(synthetic):
    assert len(synthetic.clustered) < sum(name.startswith("adult_cluster") for name in synthetic.plan.experiments)
    assert len(synthetic.prepared) < len(synthetic.with_data)
    assert synthetic.study_data("yeom_iwpc") == [synthetic.layout.prepared("yeom_iwpc")]
    assert synthetic.study_data("izzo_fig2") == []


def test_files_are_private_where_a_users_own_records_are_read(own, tmp_path):
    assert own(data="real").reads_own_records
    example = [*FILES, "experiments/patients.yaml"]
    for data in ("synthetic", "real"):
        assert not scope_of(files=example, data=data).reads_own_records, "its table is synthetic"
    outputs = {
        "path": "model.csv",
        "classes": {"no": "a", "yes": "b"},
        "scale": "logits",
        "attacks": {"average_threshold": {}},
    }
    (tmp_path / "model.csv").write_text("a,b,label,member\n")
    (tmp_path / "queried.yaml").write_text(yaml.safe_dump({"paper": "audit", "predictions": {"mine": outputs}}))
    assert scope_of(tmp_path, ["queried.yaml"]).reads_own_records
