"""Figures of groups of Humphries et al., of experiments that hold some of the attacks."""

import pandas as pd
import pytest
from drawn import titles
from settings_samples import ROOT

from dpmia.papers.artifact import Facts
from dpmia.papers.humphries import groups


@pytest.mark.parametrize("without", groups.ATTACKS)
def test_an_attack_that_was_not_run_has_no_panel(without):
    table = pd.read_csv(ROOT / "docs/measured/humphries/humphries_fig2.csv")
    figure = groups.draw_four(table[table["attack"] != without], Facts(False, "night", {}))
    left = [title for attack, title in groups.ATTACKS.items() if attack != without]
    assert titles(figure) == [*left, "accuracy"]
