"""Training curves on the report: which model is shown, and what its sparklines say."""

from dataclasses import replace

import numpy as np
from model_cards import card

from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import CURVE, Signal, load_followed, save_signals
from dpmia.privacy.accounting import Mechanism
from dpmia.report import curves

ROWS = np.array([[1, 10, 0.7, 0.5, 0.9, np.nan], [2, 20, 0.4, 0.75, 0.25, 1.0]])


def signal(accounting, curve=None):
    one = np.zeros(1, dtype=np.int64)
    model_card = replace(
        card(), accounting=accounting, epsilon="inf" if accounting is None else str(accounting.epsilon)
    )
    return Signal(model_card, one, one, one.astype(np.uint8), np.zeros((1, 2), dtype=np.float32), curve=curve)


def saved(tmp_path, *signals):
    path = tmp_path / "signals" / "block-0.npz"
    path.parent.mkdir(exist_ok=True)
    save_signals(path, signals, Provenance())
    return str(path)


def test_a_curve_survives_the_file_and_most_models_have_none(tmp_path):
    path = saved(tmp_path, signal(None), signal(None, ROWS))
    ((_, curve),) = load_followed(path)
    np.testing.assert_array_equal(curve, ROWS)


def test_the_private_model_with_the_largest_epsilon_is_shown(tmp_path):
    mechanism = Mechanism("poisson", 0.1, 20, 2, "add_remove", 1e-5, "pld")
    private = [signal(mechanism.record(epsilon, 1.0, 1.0), ROWS * epsilon) for epsilon in (1.0, 3.0, 2.0)]
    path = saved(tmp_path, signal(None, ROWS), *private)
    ((experiment, model, steps, loss, *_),) = curves.rows({"student": [path], "missing": [str(tmp_path / "no.npz")]})
    assert (experiment, steps) == ("student", "60")
    assert model.endswith("ε = 3.0")
    assert "2.1 → 1.2" in loss


def test_a_cell_draws_what_was_measured_and_says_where_it_began_and_ended():
    columns = dict(zip(CURVE, ROWS.T, strict=True))
    cell = curves._cell(columns["step"], columns["loss"], "loss")
    assert 'points="60.0,0.0 120.0,12.0"' in cell, "a loss of .4 is four sevenths of the height"
    assert 'aria-label="loss: 0.7 → 0.4"' in cell
    assert curves._cell(columns["step"], columns["epsilon"], "epsilon") == "1", "one value makes no line"
    assert curves._cell(columns["step"], np.full(2, np.nan), "clipped") == "-"
