"""Epsilons that follow from bounds on precision: those of the paper, and what cannot be asked for."""

import pytest
import yaml
from settings_samples import ROOT

from dpmia.common.errors import ConfigError
from dpmia.papers.thudi.budgets import budgets
from dpmia.planning.plan import make_plan
from dpmia.planning.precision_budgets import budget_rows, with_precision_budgets
from dpmia.settings.precision_budgets import PrecisionBudgets
from dpmia.theory.precision_bounds import precision_bound

PRIVACY = {"delta": 1e-5, "relation": "add_remove"}
RATES = {f"p{rate}": rate for rate in (0.1, 0.3, 0.5, 0.7, 0.9)}
PRINTED = {
    "p0.1": [5.197, 4.197, 3.197],
    "p0.3": [3.847, 2.847, 1.847],
    "p0.5": [3, 2, 1],
    "p0.7": [2.152, 1.152, 0.152],
    "p0.9": [0.802],
}


def settings(**changed):
    arms = {name: {"rate": rate} for name, rate in RATES.items()}
    return {"arms": arms, "privacy": PRIVACY, "precision_budgets": {"epsilons": [3, 2, 1]}} | changed


def test_the_budgets_are_those_of_the_paper():
    computed = with_precision_budgets(settings(), "here")
    assert {name: arm["epsilons"] for name, arm in computed["arms"].items()} == PRINTED
    assert sorted(computed["epsilons"][0]) == sorted(epsilon for epsilons in PRINTED.values() for epsilon in epsilons)


def test_each_bound_may_be_a_job_of_its_own():
    computed = with_precision_budgets(settings(precision_budgets={"epsilons": [3, 2, 1], "jobs": "each bound"}), "here")
    assert computed["epsilons"] == [
        [5.197, 3.847, 3, 2.152, 0.802],
        [4.197, 2.847, 2, 1.152],
        [3.197, 1.847, 1, 0.152],
    ]


def test_budgets_keep_their_bound_and_hardly_less_than_they_may():
    exact = budgets().set_index(["arm", "bound"])["epsilon"]
    for row in budget_rows(PrecisionBudgets(epsilons=[3, 2, 1]), RATES, 1e-5):
        epsilon = exact[row.arm].iloc[(exact[row.arm].index - row.bound).to_series().abs().to_numpy().argmin()]
        if row.epsilon is None:
            assert epsilon != epsilon
            continue
        assert precision_bound(row.epsilon, row.rate, 1e-5, 0.01) <= row.bound + 1e-12
        assert 0 <= epsilon - row.epsilon + 1e-9 <= 1e-3


def test_a_new_target_and_a_new_rate_are_one_line_each():
    text = yaml.safe_load((ROOT / "experiments/thudi.yaml").read_text())["experiments"]["thudi_mnist_budget"]
    assert text["precision_budgets"] == {"epsilons": [3, 2, 1], "rate": 0.5}
    arms = settings()["arms"] | {"p0.2": {"rate": 0.2}}
    computed = with_precision_budgets(settings(arms=arms, precision_budgets={"epsilons": [4, 3]}), "here")
    assert len(computed["arms"]["p0.2"]["epsilons"]) == 2


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilons": [[1]]}, "cannot be combined with epsilons of the experiment"),
        ({"arms": {"a": {"rate": 0.1, "epsilons": [1]}}}, "cannot be combined with epsilons of a"),
        ({"arms": {"a": {"group": "b"}}}, "no sampling rate"),
        ({"arms": "each group"}, "no sampling rate"),
        ({"precision_budgets": {"epsilons": []}}, r"precision_budgets\.epsilons|, epsilons"),
        ({"precision_budgets": {"epsilon": [1]}}, "unknown key"),
        ({"privacy": {}}, r"precision follow from relation add_remove, and it is replace_one\. Set privacy"),
    ],
)
def test_what_budgets_cannot_be_computed_from_is_refused(changed, message):
    with pytest.raises(ConfigError, match=message):
        with_precision_budgets(settings(**changed), "here")


def test_figures_learn_the_budgets_of_each_bound_and_arm():
    from dpmia.planning.descriptions import describe_experiment

    plan = make_plan({"experiments": ["experiments/thudi.yaml"]}, ROOT)
    rows = describe_experiment(plan.experiments["thudi_svhn_budget"]).precision_budgets
    assert len(rows) == 15
    assert [row.epsilon for row in rows if row.arm == "p0.9"] == [0.802, None, None]
    assert describe_experiment(plan.experiments["thudi_mnist"]).precision_budgets is None


@pytest.mark.parametrize("delta", ["x", True, -1, 2, float("nan"), [1e-5]])
def test_a_wrong_delta_is_refused_where_it_stands(delta):
    with pytest.raises(ConfigError, match=r"^here, privacy\.delta: "):
        with_precision_budgets(settings(privacy=PRIVACY | {"delta": delta}), "here")


def test_a_delta_that_yaml_takes_for_text_is_a_number():
    as_text = with_precision_budgets(settings(privacy=PRIVACY | {"delta": "1e-5"}), "here")
    assert as_text["epsilons"] == with_precision_budgets(settings(), "here")["epsilons"]


@pytest.mark.parametrize(
    "changed", [{"epsilons": [3, "inf"]}, {"epsilons": [800]}, {"epsilons": [3], "acceptance": 1e-9}]
)
def test_epsilons_that_bound_nothing_are_refused(changed):
    with pytest.raises(ConfigError, match="bounds no precision"):
        with_precision_budgets(settings(precision_budgets=changed), "here")


def test_an_arm_for_which_no_epsilon_keeps_a_bound_is_named_with_its_rate():
    with pytest.raises(ConfigError, match=r"here, arms\.p0\.9: at rate 0\.9 no epsilon keeps one of these bounds"):
        with_precision_budgets(settings(precision_budgets={"epsilons": [1, 2]}), "here")
