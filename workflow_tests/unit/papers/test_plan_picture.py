"""The picture of a plan for private training."""

import numpy as np
from matplotlib.figure import Figure

from dpmia.papers.plan_picture import draw
from dpmia.privacy.plan_request import PlanRequest
from dpmia.privacy.planner import TOO_HIGH, plan

QUESTION = {"bound": 0.6, "records": 1000, "batch_size": 100, "epochs": 2, "delta": 1e-5}


def test_the_picture_shows_the_numbers_of_the_table():
    table = plan(PlanRequest(**QUESTION, rates=(0.05, 0.2, 0.5, 0.6, 0.9)))
    figure = draw(table)
    Figure.draw_without_rendering(figure)
    trained = table.dropna(subset="noise_multiplier")
    for axes, column in zip(figure.axes, ["epsilon", "noise_multiplier", "exact_precision"], strict=True):
        np.testing.assert_allclose(axes.get_lines()[0].get_xydata(), trained[["rate", column]])
        (shaded,) = axes.patches
        assert shaded.get_x() == 0.6
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {*labels} == {"exact, with this noise", "cannot be met", "target bound", "every record predicted a member"}


def test_a_plan_without_any_pair_can_be_drawn():
    table = plan(PlanRequest(**QUESTION, rates=(0.7,)))
    assert table["remark"].tolist() == [TOO_HIGH]
    Figure.draw_without_rendering(draw(table))
