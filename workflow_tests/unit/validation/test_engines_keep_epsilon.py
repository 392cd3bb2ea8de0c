"""Attacks on the guarantees of the engines, as users run them: a table with a verdict on each trial."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpmia.formats.stages import GUARANTEES, layout_of
from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown
from dpmia.settings.names import ENGINES
from dpmia.validation import engines_keep_epsilon as tried
from dpmia.validation.artifacts import KEPT_EPSILON, TRIED

SPECS = {name: kind.private for name, kind in ENGINES.items()}


@pytest.fixture
def small(monkeypatch):
    """Try two trainings only, on few models."""
    trials = (tried.Trial("stacked", tried.Case(9), 400), tried.Trial("opacus", tried.Case(9, batch_size=4), 20))
    monkeypatch.setattr(tried, "TRIALS", trials)


def test_each_trial_has_a_row_with_its_mechanism_and_both_bounds(small):
    table = tried.run(SPECS, seed=1)
    assert table.columns.tolist() == GUARANTEES
    assert table["engine"].tolist() == ["stacked", "opacus"]
    assert (table["steps"].tolist(), table["sampling_rate"].tolist()) == ([1, 2], [1.0, 0.5])
    assert (table[["epsilon_of_mechanism", "epsilon_of_rates"]] <= 9).all(axis=None)
    assert table["epsilon_of_mechanism"][0] > 4
    assert set(table["verdict"]) == {tried.KEPT}
    pd.testing.assert_frame_equal(tried.run(SPECS, seed=1), table)
    assert tried.run(SPECS, seed=2)["epsilon_of_mechanism"][0] != table["epsilon_of_mechanism"][0]


def test_an_engine_with_too_little_noise_is_refuted(small, monkeypatch):
    bounds = tried.Case.bounds

    def with_less_noise(case, *rest):
        return bounds(case, *rest, replace(case.stated, noise_multiplier=case.stated.noise_multiplier / 10))

    monkeypatch.setattr(tried.Case, "bounds", with_less_noise)
    assert tried.run(SPECS, seed=1)["verdict"].tolist()[0] == tried.REFUTED


def test_the_table_states_every_trial_and_is_about_no_data():
    values = ["stacked", "poisson", "add_remove", 0.5, 8, 1.823, 1e-5, 4.0, 1.7721, 0.2765, 2000, tried.KEPT]
    table = tried.tabulate(
        {"guarantees/engines": pd.DataFrame([values], columns=GUARANTEES)}, RunSummary(True, "smoke")
    )
    text = markdown(table, KEPT_EPSILON.caption, RunSummary(True, "smoke", without_data=True))
    assert "| 1.82 " in text
    assert "| 1.77 " in text
    assert "No data needed" in text


def test_the_digest_of_the_job_and_the_layout_of_its_table_know_all_engines_and_columns():
    assert {trial.engine for trial in tried.TRIALS} == set(TRIED) <= set(ENGINES)
    assert layout_of("guarantees", GUARANTEES).columns == GUARANTEES


def test_the_error_is_shared_by_all_bounds(small, monkeypatch):
    given = []
    monkeypatch.setattr(tried.Case, "bounds", lambda case, *rest: given.append(rest[-1]) or (0.0, 0.0))
    tried.run(SPECS, seed=1)
    assert np.allclose(given, tried.ERROR / 4)
