"""Claims about theorems run on the functions themselves: they hold, and each falls with a wrong formula."""

import numpy as np
import pandas as pd
import pytest
from claim_worlds import World, with_impossible

from dpmia.claims.judge import JudgedRun, judge
from dpmia.papers.claims import claims
from dpmia.papers.izzo import theory as izzo_theory
from dpmia.papers.izzo.claims import fig1 as izzo_fig1
from dpmia.papers.izzo.claims import fig2 as izzo_fig2
from dpmia.papers.izzo.claims import theorems as izzo
from dpmia.papers.thudi import budgets, rates
from dpmia.papers.thudi import theory as thudi_theory
from dpmia.papers.thudi.claims import bounds, fig7_to_10
from dpmia.papers.yeom import theory as yeom_theory
from dpmia.papers.yeom.claims import theorems as yeom
from dpmia.theory import logistic_example

BY_ID = {
    claim.id: claim for of_paper in claims().values() for claim in of_paper if not claim.about_data and not claim.tables
}
OTHERS = [name for name in BY_ID if not name.startswith("humphries-")]  # those have tests of their own


def verdict_on(name, tmp_path):
    return judge(BY_ID[name], JudgedRun(tmp_path, synthetic=True, scale="smoke"))[0]


@pytest.mark.parametrize("name", OTHERS)
def test_a_claim_about_a_theorem_is_reproduced_without_any_table(name, tmp_path):
    assert verdict_on(name, tmp_path) == "reproduced"


def scaled(module, name, factor):
    """Return a wrong version of a function: `factor` times what it returns."""
    right = getattr(module, name)
    return module, name, lambda *arguments, **options: factor * np.asarray(right(*arguments, **options))


class Skewed(izzo_theory.ReciprocalSum):
    """An example whose largest output is not what proposition 9 says."""

    def outputs(self):
        return 1.001 * super().outputs()


#: claim -> what to put in whose place.
WRONG = {
    "izzo-thm4-eta": scaled(izzo, "eta_from_epsilon", 0.99),
    "izzo-thm4-tight": scaled(izzo_theory, "optimal_gain", 0.9),
    "izzo-thm5-weaker": scaled(izzo_theory, "membership_posterior", 0.9),
    "izzo-prop2-optimal": scaled(izzo, "optimal_gain", 0.9),
    "izzo-prop6-ratio": scaled(izzo_theory, "membership_posterior", 1.2),
    "izzo-thm7-valid": scaled(izzo, "theorem_7_scale", 1e-4),
    "izzo-thm7-loose": scaled(izzo, "theorem_7_scale", 1e-2),
    "izzo-cor11-constant": scaled(izzo, "corollary_8_scale", 5.0),
    "izzo-cor8-norm": scaled(izzo, "split_moments", 0.99),
    "izzo-alg1-consistency": (izzo, "split_moments", lambda outputs, moment: np.abs(outputs[:1]).ravel()),
    "izzo-prop9-construction": (izzo_theory, "ReciprocalSum", Skewed),
    "izzo-fig1-mip-flat": (izzo_fig1, "corollary_8_scale", lambda eta, moment: 6.16 / np.asarray(eta)),
    "izzo-fig1-crossing": scaled(izzo_fig1, "corollary_8_scale", 1.1),
    "yeom-thm3-values": scaled(yeom, "gaussian_advantage", 1.01),
    "yeom-thm3-sim": scaled(yeom, "gaussian_advantage", 1.02),
    "yeom-unknown-limit": scaled(yeom, "unknown_sigma_advantage", 1.001),
    "yeom-fig1-shape": scaled(yeom, "binary_attribute_advantage", 1.03),
    "thudi-thm33-labels": (budgets, "target_bounds", lambda: np.array([0.953, 0.881, 0.733])),
    "thudi-thm33-equals-humphries": scaled(bounds, "humphries_advantage", 1.0001),
    "thudi-fig1-limits": scaled(bounds, "precision_bound", 1.01),
    "thudi-fig2-order": (rates, "TERMS", {"epsilon": lambda t: np.exp(-t), "rate": lambda t: (1 - t**2) / t}),
    "thudi-fig4-null-control": scaled(thudi_theory, "random_best_quantile", 1.1),
    "thudi-fig5-eps-grid": scaled(budgets, "epsilon_for_bound", 1.02),
    "thudi-fig7-capacity": scaled(thudi_theory, "deletion_capacity_as_printed", 1.02),
    "thudi-fig8-positive-accuracy": (
        logistic_example, "accuracy", lambda threshold: np.full(np.shape(threshold), 0.549)
    ),
    "thudi-fig9-order": scaled(fig7_to_10, "erlingsson_accuracy", 0.9),
    "thudi-fig10-order": scaled(fig7_to_10, "sablayrolles_precision", 0.95),
}  # fmt: skip


def test_every_claim_about_a_theorem_is_put_to_the_test():
    assert sorted(WRONG) == sorted(OTHERS)


@pytest.mark.parametrize("name", OTHERS)
def test_a_wrong_formula_is_found(name, tmp_path, monkeypatch):
    if name == "thudi-fig2-order":
        monkeypatch.setattr(rates, "crossing", lambda: 0.7)
    monkeypatch.setattr(*WRONG[name])
    assert verdict_on(name, tmp_path) == "not reproduced"


@pytest.mark.parametrize("name", OTHERS)
def test_every_comparison_of_a_criterion_is_performed(name, tmp_path):
    for claim in with_impossible(BY_ID[name]):
        assert judge(claim, JudgedRun(tmp_path, synthetic=True, scale="smoke"))[0] == "not reproduced", claim.criterion


# What claims and the tables of theory share


def measured(name, place):
    """Return what a claim compares, in a condition of it."""
    return [*BY_ID[name].conditions[place].cells({}).values()]


def test_the_simulation_of_theorem_3_is_that_of_the_table():
    table = yeom_theory.tabulate({}, None).set_index("ratio").loc[list(yeom.SIMULATED)]
    distance = (table["threshold_simulated"] - table["threshold"]).abs().max()
    assert measured("yeom-thm3-sim", 0) == pytest.approx([distance], abs=1e-4)  # the table is rounded


def test_numbers_of_theorems_of_thudi_et_al_are_those_of_the_table():
    table = thudi_theory.tabulate({}, None).set_index(["statement", "at"])
    kept = table.loc[("epsilon that keeps a bound", "bound 0.731")].set_index("rate")["value"]
    assert measured("thudi-fig5-eps-grid", 0) == pytest.approx([*kept[[0.1, 0.3, 0.5, 0.7]]], abs=1e-4)
    gains = table.loc["gain of the best of forty quantiles over the baseline"].set_index("rate")["value"]
    assert measured("thudi-fig4-null-control", 0) == pytest.approx([*gains[[0.5, 0.1, 0.3, 0.7, 0.9]]], abs=1e-4)
    printed = table.loc["corollary 5.2", "as_printed"]
    for place, size in ((0, 1), (1, 10), (2, 200)):
        (in_table,) = printed[printed.index.str.contains(f", {size} records")]
        assert measured("thudi-fig7-capacity", place) == pytest.approx([in_table], abs=1e-4)


def test_numbers_of_proposition_9_are_those_of_the_table():
    table = izzo_theory.tabulate({}, None)
    rows = table[table["statement"] == "proposition 9"].set_index(["quantity", "at"])["measured"]
    for place, quantity in enumerate(("largest output", "variance")):
        in_table = [rows[quantity, f"n = {records}"] for records in (16, 12, 8)]
        assert measured("izzo-prop9-construction", place) == pytest.approx(in_table, abs=1e-5)


# Figure 2 of Izzo et al., whose settings are lost

ETAS = (0.05, 0.1, 0.25, 0.49)


def errors(of_mip, of_dp, moments=(2, 4)):
    """Return a world with the relative errors of ten runs, the same for every eta."""
    rows = [
        ["mip", moment, "corollary_8", "laplace", eta, run, of_mip + 0.01 * run] for moment in moments for eta in ETAS
        for run in range(10)
    ]  # fmt: skip
    rows += [["dp", np.nan, None, None, eta, run, of_dp + 0.01 * run] for eta in ETAS for run in range(10)]
    columns = ["method", "moment", "calibration", "radius", "eta", "run", "relative_error"]
    return World({}, {"studies/izzo_fig2": pd.DataFrame(rows, columns=columns)})


@pytest.mark.parametrize("name", ["izzo-fig2-mip-beats-dp", "izzo-fig2-dp-noise"])
@pytest.mark.parametrize(("of_mip", "of_dp"), [(0.5, 1.5), (1.5, 0.2)])
def test_lost_settings_are_the_verdict_on_figure_2_whatever_is_measured(name, of_mip, of_dp, tmp_path):
    claim = next(claim for claim in izzo_fig2.CLAIMS if claim.id == name)
    errors(of_mip, of_dp).write(tmp_path, claim.tables)
    verdict, finding = judge(claim, JudgedRun(tmp_path, synthetic=True, scale="laptop"))
    assert verdict == "settings lost"
    assert finding.note.startswith(izzo_fig2.SETTINGS_LOST)
    if "beats" in name:
        assert finding.note.endswith("M = 4: all" if of_mip < of_dp else "M = 4: none")
    assert finding.measured == pytest.approx(of_mip - of_dp if "beats" in name else of_dp + 0.045)


def test_figure_2_without_what_is_compared_is_not_run(tmp_path):
    claim = next(claim for claim in izzo_fig2.CLAIMS if claim.id == "izzo-fig2-mip-beats-dp")
    errors(0.5, 1.5, moments=(2,)).write(tmp_path, claim.tables)
    assert judge(claim, JudgedRun(tmp_path, synthetic=True, scale="laptop"))[0] == "not run"
