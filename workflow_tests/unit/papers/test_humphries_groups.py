"""Figures of groups of Humphries et al., of experiments that hold some of the attacks."""

import pandas as pd
import pytest
from drawn import lines, titles
from settings_samples import ROOT

from dpmia.formats.rows import MissingRowsError
from dpmia.papers.artifact import RunSummary
from dpmia.papers.humphries import groups, shares
from dpmia.papers.humphries.epsilon_curves import common_epsilons


@pytest.mark.parametrize("without", groups.ATTACKS)
def test_an_attack_that_was_not_run_has_no_panel(without):
    table = pd.read_csv(ROOT / "docs/measured/humphries/humphries_fig2.csv")
    figure = groups.draw_four(table[table["attack"] != without], RunSummary(False, "night", {}))
    left = [title for attack, title in groups.ATTACKS.items() if attack != without]
    assert titles(figure) == [*left, "accuracy"]


def test_an_arm_and_an_attack_of_ones_own_are_drawn_without_a_change_of_code():
    table = pd.read_csv(ROOT / "docs/measured/humphries/humphries_fig2.csv")
    attack = table[table["attack"] == "average_threshold"].assign(attack="my_attack")
    arms = table[table["arm"] != "any"]
    arms = arms.assign(arm=arms["arm"].str.replace("cluster", "other_group"))
    figure = groups.draw_two(pd.concat([table, attack, arms]), RunSummary(False, "night", {}))
    assert titles(figure) == ["optimal threshold (oracle)", "my attack", "accuracy"]
    expected = {"cluster, non-IID", "cluster, IID", "other group, non-IID", "other group, IID"}
    assert expected <= set(lines(figure.panels[0]))
    assert "random scores" not in lines(figure.panels[1])


def test_a_share_of_ones_own_is_drawn_in_its_place():
    table = pd.read_csv(ROOT / "docs/measured/humphries/humphries_fig4.csv")
    added = table[table["arm"] == "p25"].assign(arm="p10")
    figure = shares.draw_gender(pd.concat([table, added]), RunSummary(False, "night", {}))
    drawn = [label for label in lines(figure.panels[0]) if label.startswith("p = ")]
    assert drawn == ["p = 0", "p = 0.1", "p = 0.25", "p = 0.5", "p = 0.75", "p = 1"]


def test_experiments_without_a_common_epsilon_are_refused():
    one, other = (pd.DataFrame({"epsilon": epsilons}) for epsilons in ([1.0, 10.0], [10.0, 0.1]))
    assert common_epsilons([one, other]) == [10.0]
    for tables in ([one, other.head(0)], []):
        with pytest.raises(MissingRowsError, match="no epsilon in common"):
            common_epsilons(tables)
