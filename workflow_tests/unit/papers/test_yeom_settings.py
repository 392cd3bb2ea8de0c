"""experiments/yeom.yaml runs what the artifacts of Yeom et al. show, and nothing else."""

import numpy as np
import pytest
from settings_samples import OWN_CONFIG, ROOT

from dpmia.papers.yeom import fig3, names, table1
from dpmia.papers.yeom.artifacts import ARTIFACTS
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES

YEOM = OWN_CONFIG | {"experiments": ["experiments/yeom.yaml"]}
#: Attacks of tables alone, for comparison.
NOT_DRAWN = {"bounded_loss", "random"}


@pytest.fixture(scope="module", params=SCALES)
def plan(request):
    return make_plan(YEOM | {"scale": request.param}, ROOT)


def test_every_experiment_and_study_is_run_and_shown(plan):
    shown = {table.split("/")[1] for artifact in ARTIFACTS for table in artifact.tables}
    assert shown == {*plan.experiments, *plan.studies}
    assert set(plan.experiments) == {*names.HONEST, *names.COLLUDING}


def test_every_attack_is_run_and_shown(plan):
    for name, experiment in plan.experiments.items():
        shown = {"collusion"} if name in names.COLLUDING else set()
        assert set(experiment.attacks) - NOT_DRAWN == shown | {"average_threshold"}, name
        assert (experiment.collusion is not None) == (name in names.COLLUDING)


def test_networks_are_those_of_the_figures(plan):
    for name, experiment in plan.experiments.items():
        assert experiment.epsilons == [[np.inf]]
        assert not experiment.iid_arms
        for arm, settings in experiment.arms.items():
            assert settings.model.size == int(arm.removeprefix("s")), (name, arm)
    honest, colluding = (
        {tuple(plan.experiments[name].arms) for name in group} for group in (names.HONEST, names.COLLUDING)
    )
    assert len(honest) == 1
    assert honest == colluding, "figure 4b compares them size by size"


def test_at_the_papers_scale_every_size_is_trained_and_that_of_table_1_among_them():
    for experiment in make_plan(YEOM | {"scale": "paper"}, ROOT).experiments.values():
        assert list(experiment.arms) == [f"s{2**power}" for power in range(8)]
        assert f"s{table1.SIZE}" in experiment.arms


def test_studies_have_the_targets_of_figure_3_and_the_depth_of_its_claims(plan):
    trees, ridge = plan.studies["yeom_iwpc"], plan.studies["yeom_eyedata"]
    assert (trees.model, ridge.model) == ("tree", "ridge")
    assert (set(trees.targets), list(ridge.targets)) == (set(fig3.TARGETS), [])
    assert 20 in trees.parameters
    assert len(ridge.parameters) > 1, "figures 2a and 2b draw curves"
