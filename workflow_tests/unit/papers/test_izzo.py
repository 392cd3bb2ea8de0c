"""The figures of Izzo et al. 2024 and all bounds together: numbers of the tables, and what is drawn of them."""

import numpy as np
import pandas as pd
import pytest
from drawn import caption, titles
from scipy.stats import norm, sem

from dpmia.common.registry import load
from dpmia.papers import drawing
from dpmia.papers.artifact import RunSummary
from dpmia.papers.izzo import bounds_all, fig1, fig2, theory
from dpmia.papers.izzo.artifacts import ARTIFACTS
from dpmia.theory.bounds import auc_bound, humphries_advantage

RUN_SUMMARY = RunSummary(False, "laptop")
FIGURES = [artifact for artifact in ARTIFACTS if artifact.kind == "figure"]
ETAS = [0.02, 0.1, 0.25, 0.4]
MOMENTS = [2.0, 4.0, 6.0, 8.0]


def study(runs=3):
    """Return a table as the study gives it, with errors that are known: 10^4 / M / eta for MIP, times the run."""
    common = {"records": 2000, "dimension": 5, "steps": 100, "learning_rate": 0.1, "splits": 16, "delta": 1e-5}
    rows = []
    for run in range(runs):
        factor = 1 + run
        for calibration, radius, size in [
            ("corollary_8", "laplace", 1.0),
            ("corollary_8", "gamma", 15.0),
            ("total_variation", "gamma", 0.01),
        ]:
            rows += [
                {"run": run, "method": "mip", "calibration": calibration, "radius": radius, "moment": moment,
                 "eta": eta, "noise_scale": 5.0, "relative_error": size * factor * 1e4 / moment / eta}
                for moment in MOMENTS for eta in ETAS
            ]  # fmt: skip
        rows += [
            {"run": run, "method": "dp", "eta": eta, "epsilon": 4 * eta, "clip_norm": 3.0, "noise_scale": 9.0,
             "relative_error": 0.3 * factor}
            for eta in ETAS
        ]  # fmt: skip
        rows.append({"run": run, "method": "clipped", "clip_norm": 3.0, "relative_error": 0.2 * factor})
        rows.append({"run": run, "method": "plain", "relative_error": 0.01 * factor})
    return pd.DataFrame(rows).assign(**common)


def lines(axes):
    """Return what is drawn with a label: label -> list of points."""
    curves = {}
    for line in axes.get_lines():
        curves.setdefault(line.get_label(), []).append(line.get_xydata())
    return curves


def draw(module, tables=None):
    with drawing.style():
        return module.draw(module.tabulate(tables or {}, RUN_SUMMARY), RUN_SUMMARY)


@pytest.mark.parametrize("artifact", FIGURES, ids=lambda artifact: artifact.name)
def test_every_figure_is_made_of_its_tables(artifact):
    table = load(artifact.tabulate)({name: study() for name in artifact.tables}, RUN_SUMMARY)
    assert len(table) > 50
    assert load(artifact.draw)(table, RUN_SUMMARY).axes
    assert artifact.caption.endswith(".")


@pytest.mark.parametrize("module", [fig1, fig2, bounds_all])
def test_captions_name_what_is_reconstructed(module):
    text = caption(draw(module, {fig2.STUDY: study()}))
    assert "reconstructed" in text or "restored" in text
    assert "theorem 4" in text.lower()


@pytest.mark.parametrize("module", [fig1, fig2, bounds_all])
def test_legends_fit_into_their_figures(module):
    with drawing.style():
        figure = draw(module, {fig2.STUDY: study()})
        figure.draw_without_rendering()
        box = figure.legends[0].get_window_extent()
    assert figure.bbox.x0 <= box.x0
    assert box.x1 <= figure.bbox.x1


# Theorems


def test_the_best_attacker_reaches_no_more_than_the_theorems_promise():
    (artifact,) = (candidate for candidate in ARTIFACTS if candidate.kind == "table")
    table = load(artifact.tabulate)({}, RUN_SUMMARY)
    assert (table["measured"] <= table["bound"] + 1e-5).all()
    gains = table[table["quantity"] == "gain over 1/2"].groupby("statement")
    assert gains.size().to_dict() == {"theorem 4": 3, "theorem 5": 3, "theorem 7": 9, "corollary 8": 6}
    tight = gains.get_group("theorem 4")
    np.testing.assert_allclose(tight["measured"], tight["bound"], atol=1e-5)
    at_1 = tight.set_index("at").loc["ε = 1", "bound"]
    assert at_1 == pytest.approx(0.23106, abs=1e-5)


def test_the_gain_of_guessing_the_named_record_is_that_of_randomised_response():
    assert theory.naming_gain(2.0) == pytest.approx(1 / (1 + np.exp(-2)) - 0.5)


def test_noise_by_corollary_8_hides_less_than_by_theorem_7():
    by_theorem = theory.laplace_gains(theory.theorem_7_scale, (2, 4))
    by_corollary = theory.laplace_gains(theory.corollary_8_scale, (2, 4))
    assert all(by_theorem[key] < gain for key, gain in by_corollary.items())


# Figure 1


def test_figure_1_has_the_numbers_of_the_paper_at_a_tenth():
    table = fig1.tabulate({}, RUN_SUMMARY)
    at = table[np.isclose(table["eta"], 0.1)]
    assert at.loc[at["route"] == "mip", "noise_scale"].item() == pytest.approx(3795, abs=1)
    assert at.loc[at["route"] == "total_variation", "noise_scale"].item() == pytest.approx(5)
    dp = at[at["route"] == "dp"].set_index("records")["noise_scale"]
    for records, scale in {24: 4056, 30: 30_720, 36: 234_900, 42: 1.81e6}.items():
        assert dp[records] == pytest.approx(scale, rel=5e-4)
    assert dp[36] / dp[30] > 5
    assert (dp > 3795).all()


def test_noise_for_mip_falls_like_the_square_of_eta_whatever_the_number_of_records():
    table = fig1.tabulate({}, RUN_SUMMARY)
    mip = table[table["route"] == "mip"]
    assert mip["records"].isna().all()
    slopes = np.diff(np.log(mip["noise_scale"])) / np.diff(np.log(mip["eta"]))
    np.testing.assert_allclose(slopes, -2, atol=1e-9)


def test_the_laplace_mechanism_needs_less_noise_than_theorem_4_asks_for():
    table = fig1.tabulate({}, RUN_SUMMARY)
    dp, exact = (table[table["route"] == route].set_index(["records", "eta"]) for route in ("dp", "dp_exact"))
    assert (exact["noise_scale"] < dp["noise_scale"]).all()
    row = exact.loc[30].iloc[10]
    # Half of the distance of two Laplace laws, by hand, is what the best attacker gains.
    eta, shift = exact.loc[30].index[10], row["sensitivity"] / row["noise_scale"]
    z = np.linspace(-60, 60, 2_000_001)
    apart = np.trapezoid(np.abs(np.exp(-np.abs(z)) - np.exp(-np.abs(z - shift))) / 2, z) / 2
    assert apart / 2 == pytest.approx(eta, abs=1e-4)


def test_figure_1_shows_all_lines_on_a_logarithmic_axis():
    (axes,) = draw(fig1).axes
    curves = lines(axes)
    assert len(curves["DP, Laplace mechanism"]) == len(fig1.RECORDS)
    assert [text.get_text() for text in axes.texts] == ["n = 24", "n = 30", "n = 36", "n = 42"]
    assert len(curves["MIP, corollary 8, M = 2"]) == len(curves["MIP, total variation (ours)"]) == 1
    assert axes.get_yscale() == "log"
    assert axes.get_xlim() == (0, 0.5)


# Figure 2


def test_figure_2_has_means_and_standard_errors_of_runs():
    table = fig2.tabulate({fig2.STUDY: study()}, RUN_SUMMARY)
    assert len(table) == 3 * 4 * 4 + 4 + 2
    assert (table["runs"] == 3).all()
    row = table.query("radius == 'laplace' and moment == 4 and eta == 0.1").iloc[0]
    errors = 1e4 / 4 / 0.1 * np.array([1, 2, 3])
    assert row["relative_error"] == pytest.approx(errors.mean())
    assert row["standard_error"] == pytest.approx(sem(errors))
    assert row["records"] == 2000


def test_figure_2_has_the_exact_gain_of_dp_sgd_beside_that_of_the_theorem():
    table = fig2.tabulate({fig2.STUDY: study()}, RUN_SUMMARY)
    dp = table["method"] == "dp"
    assert table.loc[~dp, "exact_eta"].isna().all()
    # 100 steps of Gaussian noise of 9 clip norms, two of them apart: one step of 20 / 9.
    np.testing.assert_allclose(table.loc[dp, "exact_eta"], norm.cdf(10 / 9) - 0.5, atol=1e-4)
    assert fig2.exact_eta(1e6, 100) < 1e-5
    shown = [lines(axes).get("DP-SGD at its exact η") for axes in draw(fig2, {fig2.STUDY: study()}).axes]
    assert [curve is not None for curve in shown] == [False, False, True]


def test_figure_2_shows_each_eta_in_its_panel_and_the_printed_noise_only():
    panels = draw(fig2, {fig2.STUDY: study()}).axes
    etas = [[0.02, 0.1], [0.1, 0.25], [0.25, 0.4]]
    for axes, expected in zip(panels, etas, strict=True):
        curves = lines(axes)
        for moment in MOMENTS:
            ((curve),) = curves[f"MIP, corollary 8, M = {moment:g}"]
            np.testing.assert_allclose(curve, [[eta, 2e4 / moment / eta] for eta in expected])
        np.testing.assert_allclose(curves["DP-SGD"][0], [[eta, 0.6] for eta in expected])
        np.testing.assert_allclose(curves["MIP, total variation (ours)"][0], [[eta, 2e2 / 2 / eta] for eta in expected])
        np.testing.assert_allclose(curves["DP-SGD, no noise"][0][:, 1], 0.4)
        np.testing.assert_allclose(curves["no privacy"][0][:, 1], 0.02)
        assert axes.get_yscale() == "log"


def test_figure_2_survives_a_single_run_and_fewer_noises():
    one = study(runs=1)
    draw(fig2, {fig2.STUDY: one})
    assert fig2.tabulate({fig2.STUDY: one}, RUN_SUMMARY)["standard_error"].isna().all()
    printed = one[(one["method"] != "mip") | (one["radius"] == "laplace")]
    assert "MIP, total variation (ours)" not in lines(draw(fig2, {fig2.STUDY: printed}).axes[0])


# All bounds


def test_equal_bounds_are_equal_and_no_bound_says_more_than_one():
    table = bounds_all.tabulate({}, RUN_SUMMARY)
    assert table["value"].between(0, 1).all()
    for measure in ("advantage", "accuracy"):
        wide = table[table["measure"] == measure].pivot_table(index="epsilon", columns="bound", values="value")
        for equal in (bounds_all.IZZO, bounds_all.THUDI):
            np.testing.assert_allclose(wide[equal], wide[bounds_all.HUMPHRIES], atol=1e-12)
        assert (wide[bounds_all.HUMPHRIES] <= wide["Erlingsson et al."] + 1e-12).all()
        assert (wide["Erlingsson et al."] <= wide["Yeom et al."] + 1e-12).all()


def test_precision_starts_at_the_prior_and_the_older_bound_is_never_lower():
    table = bounds_all.tabulate({}, RUN_SUMMARY)
    positive = table[table["measure"] == "precision"]
    for prior in bounds_all.PRIORS:
        wide = positive[positive["prior"] == prior].pivot_table(index="epsilon", columns="bound", values="value")
        assert (wide[bounds_all.THUDI] <= wide["Sablayrolles et al."] + 1e-12).all()
        assert wide.iloc[0].to_numpy() == pytest.approx(prior, abs=0.003)
    half = positive[(positive["prior"] == 0.5) & (positive["bound"] == bounds_all.THUDI)]
    accuracy = table[(table["measure"] == "accuracy") & (table["bound"] == bounds_all.IZZO)]
    np.testing.assert_allclose(half["value"], accuracy["value"])


@pytest.mark.parametrize("delta", [0, 1e-5, 0.2])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_the_largest_area_is_that_of_the_region_privacy_leaves(epsilon, delta):
    false_positives = np.linspace(0, 1, 200_001)
    missed = np.maximum.reduce(
        [
            np.zeros_like(false_positives),
            1 - delta - np.exp(epsilon) * false_positives,
            np.exp(-epsilon) * (1 - delta - false_positives),
        ]
    )
    area = np.trapezoid(1 - missed, false_positives)
    assert auc_bound(epsilon, delta) == pytest.approx(area, abs=1e-8)
    if delta == 0:
        assert auc_bound(epsilon) == pytest.approx((1 + humphries_advantage(epsilon)) / 2)


def test_all_five_papers_are_in_the_figure():
    figure = draw(bounds_all)
    labels = {text.get_text() for text in figure.legends[0].get_texts()}
    for paper in ("Humphries", "Ye et al", "Izzo", "Yeom", "Thudi"):
        assert any(paper in label for label in labels)
    assert titles(figure) == list(bounds_all.MEASURES)
    assert [text.get_text() for text in figure.axes[2].texts] == ["P = 0.1", "P = 0.5"]
