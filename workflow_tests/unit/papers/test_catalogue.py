"""The artifacts of all papers: names, functions, experiments."""

import inspect

import pytest
import yaml
from settings_samples import OWN_CONFIG, OWN_FILES, ROOT

from dpmia.common.registry import load
from dpmia.papers.artifact import Artifact
from dpmia.papers.catalogue import PAPERS
from dpmia.papers.humphries import table2
from dpmia.papers.humphries.claims import strong
from dpmia.papers.humphries.names import STRONG
from dpmia.papers.reading import Reading
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES

HUMPHRIES = {"experiments": ["experiments/humphries.yaml"]}
#: Experiments that the paper has not -> the attacks that are claimed about.
OURS = dict.fromkeys(STRONG, strong.STRONG)
OURS |= dict.fromkeys(strong.WORST_CASE, (strong.LIRA, strong.OFFLINE_LIRA, "random"))
ALL = {artifact.name: (paper, artifact) for paper, artifacts in PAPERS.items() for artifact in artifacts}


def test_names_are_unique_and_begin_with_their_paper():
    assert len(ALL) == sum(map(len, PAPERS.values()))
    for name, (paper, _) in ALL.items():
        assert name.startswith(f"{paper}_") or name == "bounds_all"


@pytest.mark.parametrize("name", ALL)
def test_the_functions_of_an_artifact_exist_and_take_what_they_are_given(name):
    _, artifact = ALL[name]
    assert list(inspect.signature(load(artifact.tabulate)).parameters) == ["tables", "run_summary"]
    if artifact.draw:
        assert list(inspect.signature(load(artifact.draw)).parameters) == ["table", "run_summary"]
    kinds = {"summary", "sizes", "studies", "replicates", "per_record", "nulls"}
    assert {table.split("/")[0] for table in artifact.tables} <= kinds
    assert artifact.caption.endswith(".")


@pytest.mark.parametrize("name", ALL)
def test_the_experiments_of_an_artifact_are_of_its_paper(name):
    paper, artifact = ALL[name]
    paper_of = {
        experiment: file["paper"]
        for file in OWN_FILES
        for part in ("experiments", "studies")
        for experiment in file.get(part, ())
    }
    assert {paper_of[table.split("/")[1]] for table in artifact.tables if table.split("/")[1] in paper_of} <= {paper}


def test_every_experiment_is_shown_somewhere():
    shown = {table.split("/")[1] for artifact in PAPERS["humphries"] for table in artifact.tables}
    assert shown == set(make_plan(OWN_CONFIG | HUMPHRIES | {"scale": "night"}, ROOT).experiments)


@pytest.mark.parametrize("scale", SCALES)
def test_what_figures_show_is_run_at_every_scale(scale):
    experiments = make_plan(OWN_CONFIG | HUMPHRIES | {"scale": scale}, ROOT).experiments
    for name, experiment in experiments.items():
        expected = {"average_threshold", *OURS.get(name, ("optimal_threshold", "random"))}
        assert expected <= set(experiment.attacks)
        assert experiment.iid_arms == (experiment.membership.kind not in ("bias", "bernoulli"))
        if experiment.membership.kind == "bias":
            three = name in STRONG or (name == "adult_education_text" and scale in {"laptop", "night"})
            assert set(experiment.arms) == {"p0", "p50", "p100"} | (set() if three else {"p25", "p75"}), name
    for name, arm in table2.PRINTED:
        assert arm in experiments[name].arms


@pytest.mark.parametrize(("kind", "draw"), [("figure", None), ("table", "a:b"), ("picture", "a:b")])
def test_a_figure_is_drawn_and_a_table_is_not(kind, draw):
    with pytest.raises(ValueError, match="x_1: kind"):
        Artifact("x_1", kind, "Caption.", "a:b", draw, reading=Reading("Topic", "How."))


def test_the_paper_is_that_of_the_experiment_files():
    assert {file["paper"] for file in OWN_FILES} == {*PAPERS, "audit"}
    for paper in PAPERS:
        assert yaml.safe_load((ROOT / f"experiments/{paper}.yaml").read_text(encoding="utf-8"))["paper"] == paper


@pytest.mark.parametrize("paper", PAPERS)
def test_every_artifact_is_declared_under_its_written_name(paper):
    source = (ROOT / "dpmia/papers" / paper / "artifacts.py").read_text()
    for artifact in PAPERS[paper]:
        assert f'"{artifact.name}"' in source, "so that a search for the name finds where it is made"
