"""Figures of groups of Humphries et al., of experiments that hold some of the attacks."""

import pandas as pd
import pytest
from drawn import titles
from settings_samples import ROOT

from dpmia.formats.rows import MissingRowsError
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries import groups
from dpmia.papers.humphries.epsilon_curves import common_epsilons


@pytest.mark.parametrize("without", groups.ATTACKS)
def test_an_attack_that_was_not_run_has_no_panel(without):
    table = pd.read_csv(ROOT / "docs/measured/humphries/humphries_fig2.csv")
    figure = groups.draw_four(table[table["attack"] != without], RunSummary(False, "night", {}))
    left = [title for attack, title in groups.ATTACKS.items() if attack != without]
    assert titles(figure) == [*left, "accuracy"]


def test_experiments_without_a_common_epsilon_are_refused():
    one, other = (pd.DataFrame({"epsilon": epsilons}) for epsilons in ([1.0, 10.0], [10.0, 0.1]))
    assert common_epsilons([one, other]) == [10.0]
    for tables in ([one, other.head(0)], []):
        with pytest.raises(MissingRowsError, match="no epsilon in common"):
            common_epsilons(tables)
