"""Tables 1 to 5 of Ye et al. in the paper's layout, from invented tables whose numbers are known."""

import pandas as pd
import pytest
import ye_tables as made

from dpmia.common.registry import load
from dpmia.formats.rows import MissingRowsError
from dpmia.metrics.intervals import clopper_pearson
from dpmia.papers.artifact import RunSummary
from dpmia.papers.tables import markdown
from dpmia.papers.ye import agreement, auc_tables, names
from dpmia.papers.ye.artifacts import ARTIFACTS

BY_NAME = {artifact.name: artifact for artifact in ARTIFACTS}
TABLES = [name for name, artifact in BY_NAME.items() if "auc_tables" in artifact.tabulate]


def tidy(name, synthetic=True):
    artifact = BY_NAME[name]
    return load(artifact.tabulate)(made.tables_of(artifact), made.run_summary_of(artifact, synthetic))


@pytest.mark.parametrize("name", TABLES)
def test_a_cell_has_our_mean_with_its_limits_and_the_printed_value(name):
    table = tidy(name)
    rows = [made.BY_PLACE[place] for place in made.SHOWN[name]]
    assert list(table["configuration"].unique()) == [row.label for row in rows]
    assert table["measure"].tolist() == list(auc_tables.MEASURES) * len(rows)
    assert (table["targets"] == 3).all()
    table = table.set_index(["configuration", "measure"])
    for row in rows:
        of_auc, of_tpr = (table.loc[(row.label, measure)] for measure in ("AUC", "TPR at 1 % FPR"))
        for title, attack in auc_tables.SHOWN.items():
            height = made.auc(row.experiment, row.arm, attack)
            ours, _, paper = of_auc[title].partition(" / ")
            assert ours.startswith(f"{height:.3f} [0.4" if height < 0.52 else f"{height:.3f} [0.")
            assert paper == ("{:g} ± {:g}".format(*row.printed[title]) if title in names.PAPER else "")
            assert of_tpr[title].startswith(f"{0.01 ** (1 / height - 1):.3f}")
            assert " / " not in of_tpr[title]
        assert "average_threshold" not in auc_tables.SHOWN.values(), "it ranks as P does"
        assert of_auc[names.TRAIN].startswith("90.0 [")
        assert of_auc[names.TEST].endswith(f" / {row.printed[names.TEST][0]:g}")
        assert pd.isna(of_tpr[names.TRAIN])
        settings = made.own(row.experiment, row.arm)
        assert of_auc["records"] == f"{settings.members:,} / {row.settings['members']:,}"
        assert of_auc["references"] == f"7 / {row.settings['references']}"
        assert of_auc["epochs"] == str(settings.epochs), "the settings do not have the paper's"
        assert "a of RMIA offline" not in table.columns, "neither the run nor the paper has it"


def test_settings_that_the_paper_states_stand_beside_ours_and_others_alone():
    (name,) = BY_NAME["ye_table5"].tables
    experiment = name.partition("/")[2]
    run_summary = RunSummary(
        True, "laptop", {experiment: made.described(experiment)}, {experiment: made.described(experiment)}
    )
    table = auc_tables.tabulate({name: made.replicates(experiment)}, run_summary).set_index(
        ["configuration", "measure"]
    )
    line, ours = table.loc[("MNIST Ia", "AUC")], made.own(experiment, "Ia")
    assert line["records"] == f"{ours.members:,} / 2,500"
    assert line["epochs"] == str(ours.epochs), "the paper does not state it, whatever scale paper has"


def test_an_attack_that_did_not_run_and_a_single_target_leave_no_number_and_no_limits():
    rows = made.replicates("ye_mnist", attacks=("population",), shifts=(0.01,), arms=["Ia"])
    table = auc_tables.tabulate({"replicates/ye_mnist": rows}, RunSummary(True, "laptop"))
    assert set(table["configuration"]) == {"MNIST Ia"}
    line = table[table["measure"] == "AUC"].iloc[0]
    assert line["P"] == f"{made.auc('ye_mnist', 'Ia', 'population') + 0.01:.3f} / 0.5 ± 0.005"
    assert (line["D"], line["targets"]) == ("- / 0.549 ± 0.006", 1)
    assert pd.isna(line["LiRA"]), "the paper does not have it either"
    assert line["records"] == "- / 2,500", "nothing is known of the run"


def test_a_table_is_made_of_the_arms_that_were_run_in_the_papers_order():
    some = {"ye_purchase_clipped": ["IV"], "ye_purchase": ["III", "Ib"]}
    tables = {f"replicates/{name}": made.replicates(name, arms=arms) for name, arms in some.items()}
    run_summary = RunSummary(True, "laptop", {name: made.described(name, arms) for name, arms in some.items()})
    table = auc_tables.tabulate(tables, run_summary)
    assert list(table["configuration"].unique()) == ["Purchase100 Ib", "Purchase100 III", "Purchase100 IV"]
    first = table[table["measure"] == "AUC"].set_index("configuration")
    for experiment, arms in some.items():
        for arm in arms:
            assert first.loc[f"Purchase100 {arm}", "epochs"] == str(made.own(experiment, arm).epochs)
            assert first.loc[f"Purchase100 {arm}", "D"].startswith(f"{made.auc(experiment, arm, 'distillation'):.3f} [")


def test_a_table_of_no_configuration_is_refused():
    of_mnist = made.replicates("ye_mnist")
    for name, rows in (("other", of_mnist), ("ye_mnist", of_mnist.assign(arm="iid"))):
        with pytest.raises(MissingRowsError, match="no configuration of the paper"):
            auc_tables.tabulate({f"replicates/{name}": rows}, RunSummary(True, "laptop"))


@pytest.mark.parametrize("name", [*TABLES, "ye_table2"])
def test_tables_in_markdown_say_whose_data_they_show(name):
    for synthetic in (True, False):
        text = markdown(tidy(name, synthetic), BY_NAME[name].caption, made.run_summary_of(BY_NAME[name], synthetic))
        assert ("Synthetic data" in text) == synthetic
        assert " nan " not in text.lower()
        assert " none " not in text.lower()


def test_agreement_is_a_matrix_with_members_above_the_diagonal_and_non_members_below():
    matrix, rates = tidy("ye_table2").set_index("attack"), tidy("ye_table2_heatmap")
    assert list(matrix.index) == list(matrix.columns[: len(agreement.ORDER)]) == list(agreement.ORDER)
    for line in rates.to_dict("records"):
        pair = (line["first"], line["second"]) if line["records"] == "train" else (line["second"], line["first"])
        ours, _, paper = matrix.loc[pair].partition(" / ")
        assert paper == f"{line['paper']:g}"
        if line["targets"]:
            # Both target models agree: the interval is over the records of one of them.
            low, high = clopper_pearson(round(8 * line["ours"]), 8)
            assert ours == f"{line['ours']:.3f} [{low:.3f}, {high:.3f}]"
        else:
            assert ours == "-", "leave-one-out is not in the invented table"
    assert [matrix.loc[name, name] for name in agreement.ORDER] == [""] * 6
    assert matrix.loc["S", "records"] == 8
    assert (matrix["targets"] == 2).all()


def test_agreement_over_three_target_models_has_limits_over_them():
    rows = made.per_record("ye_purchase")
    more = rows[rows["target"] == 0].assign(target=2)
    few = (more["record"] % 100 < 4) & (more["attack"] == "reference")
    rows = pd.concat([rows, more[~few]])
    table = agreement.tabulate({"per_record/ye_purchase": rows}, RunSummary(True, "laptop"))
    line = table[(table["first"] == "GT") & (table["second"] == "R") & (table["records"] == "train")].iloc[0]
    assert (line["targets"], line["low"] < line["ours"] < line["high"]) == (3, True)
