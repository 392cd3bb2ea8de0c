"""experiments/thudi.yaml runs what the artifacts of Thudi et al. show, and nothing else."""

import pytest
from settings_samples import OWN_CONFIG, ROOT

from dpmia.papers.thudi import gain, names, roc
from dpmia.papers.thudi import precision_by_rate as precision
from dpmia.papers.thudi.artifacts import ARTIFACTS
from dpmia.planning.plan import make_plan
from dpmia.settings.base import SCALES

THUDI = OWN_CONFIG | {"experiments": ["experiments/thudi.yaml"]}
#: figure -> its panels, and the epsilons of the paper's figure.
OF_RATES = {
    f"thudi_fig{number}": (figure.panels, figure.paper_epsilons)
    for number in (3, *range(12, 18))
    for figure in [getattr(precision, f"FIG{number}")]
}
SHOWN = OF_RATES | {
    "thudi_fig4": (gain.PANELS, names.EPSILONS),
    "thudi_fig11": (names.panels(roc.EXPERIMENTS, names.LIRA), roc.PAPER_EPSILONS),
}
#: Attacks of tables alone: the control, and LiRA as published beside LiRA as drawn.
NOT_DRAWN = {"random", names.LIRA_PER_POINT}


#: Not run at scale night, where private networks on few images learn nothing.
TOO_FEW_RECORDS = {*names.DATASETS, *names.BUDGETS} - {names.MNIST, f"{names.MNIST}_budget"}


@pytest.fixture(scope="module", params=SCALES)
def scale(request):
    return request.param


@pytest.fixture(scope="module")
def experiments(scale):
    return make_plan(THUDI | {"scale": scale}, ROOT).experiments


def epsilons_of(experiment, attack):
    return experiment.attacks[attack].epsilons or [epsilon for group in experiment.epsilons for epsilon in group]


def test_every_figure_of_attacks_is_here():
    budgets = {f"replicates/{name}" for name in names.BUDGETS}
    of_models = {artifact.name: {*artifact.tables} - budgets for artifact in ARTIFACTS if artifact.draw}
    assert {name: tables for name, tables in of_models.items() if tables} == {
        name: {f"replicates/{panel.experiment}" for panel in panels} for name, (panels, _) in SHOWN.items()
    }


def test_every_experiment_and_arm_is_run_and_shown(scale, experiments):
    controls = {*names.CONTROLS.values(), *names.CLIPPED.values()}  # see test_thudi_controls.py
    private = {*names.DATASETS, *names.BUDGETS} - (TOO_FEW_RECORDS if scale == "night" else set())
    assert set(experiments) == private | controls
    for name, experiment in experiments.items():
        if name in controls:
            continue
        assert {arm: settings.rate for arm, settings in experiment.arms.items()} == {
            names.arm_of(rate): rate for rate in names.RATES
        }, name
        assert experiment.details == (name in names.DATASETS)
        assert experiment.accuracy_by_epoch == (name in names.BUDGETS)


def test_every_attack_is_run_and_shown(experiments):
    for name in set(experiments) - {*names.BUDGETS, *names.CLIPPED.values()}:
        shown = {
            attack
            for panels, _ in SHOWN.values()
            for panel in panels
            if panel.experiment == name
            for attack in panel.attacks
        }
        assert shown == set(experiments[name].attacks) - NOT_DRAWN, name


@pytest.mark.parametrize("figure", SHOWN)
def test_every_figure_has_an_epsilon_at_every_scale(experiments, figure):
    panels, wanted = SHOWN[figure]
    run = [panel for panel in panels if panel.experiment in experiments]
    assert run
    for panel in run:
        for attack in panel.attacks:
            assert {*epsilons_of(experiments[panel.experiment], attack)} & {*wanted}, (panel.experiment, attack)


@pytest.mark.parametrize("figure", SHOWN)
def test_at_the_papers_scale_every_epsilon_of_a_figure_is_run(figure):
    panels, wanted = SHOWN[figure]
    experiments = make_plan(THUDI | {"scale": "paper"}, ROOT).experiments
    for panel in panels:
        for attack in panel.attacks:
            assert set(wanted) <= set(epsilons_of(experiments[panel.experiment], attack)), attack


def test_at_the_papers_scale_every_epsilon_is_shown():
    experiments = make_plan(THUDI | {"scale": "paper"}, ROOT).experiments
    for name in names.DATASETS:
        run = [epsilon for group in experiments[name].epsilons for epsilon in group]
        assert sorted(run) == [*names.EPSILONS]
        for attack, settings in experiments[name].attacks.items():
            shown = {
                epsilon
                for panels, wanted in SHOWN.values()
                if any(panel.experiment == name and attack in panel.attacks for panel in panels)
                for epsilon in wanted
            }
            assert settings.epsilons is None or set(settings.epsilons) <= shown, attack


def test_budgets_keep_the_bounds_that_figures_5_and_6_draw(experiments):
    for name in set(names.BUDGETS) & set(experiments):
        budgets = experiments[name].precision_budgets
        assert (sorted(budgets.epsilons), budgets.rate) == ([1, 2, 3], 0.5)
        assert experiments[name].membership.validation
