"""Attacks record by record: the same verdicts as those of whole attacks, and the losses behind them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from model_cards import card

from dpmia.attacks.base import Knowledge
from dpmia.attacks.hypothesis import Distillation, LeaveOneOut, Population, Reference, ShadowThreshold
from dpmia.common.errors import KnowledgeError
from dpmia.evaluation.attacks import AttackersModels
from dpmia.evaluation.per_record import MOST_LOSSES, nulls_table, per_record_table
from dpmia.formats.losses import Losses, save_losses
from dpmia.formats.provenance import Provenance
from dpmia.formats.signals import MEMBER, NONMEMBER, POPULATION, Signal, load_signals, save_signals
from dpmia.formats.stages import NULLS, PER_RECORD

ATTACKS = {"S": ShadowThreshold, "P": Population, "R": Reference, "D": Distillation}
CLASSES, EACH, RECORDS = 3, 40, 400
LABELS = np.arange(RECORDS) % CLASSES


def card_of(replicate):
    return card(arm="iid", replicate=replicate, meaning=["target", replicate])


def target(replicate):
    """Return a model that fits its members better than others."""
    rng = np.random.default_rng([1, replicate])
    records = rng.permutation(RECORDS)[: 3 * EACH]
    part = np.repeat(np.array([MEMBER, NONMEMBER, POPULATION], dtype=np.uint8), EACH)
    logits = rng.standard_normal((len(records), CLASSES)).astype(np.float32)
    logits[np.arange(len(records)), LABELS[records]] += np.where(part == MEMBER, 2, 1)
    return Signal(card_of(replicate), records, LABELS[records], part, logits)


def outputs(seed, replicate, count=12):
    """Return models of the attacker, each trained on a fifth of the records."""
    rng = np.random.default_rng([seed, replicate])
    losses = rng.exponential(size=(count, RECORDS)).astype(np.float32)
    reported = [card_of(replicate) for _ in range(count)]
    return Losses(reported, np.arange(RECORDS), losses, rng.random((count, RECORDS)) < 0.2)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three target models in two blocks, twelve reference models, twelve distilled ones of each target model."""
    folder = tmp_path_factory.mktemp("models")
    targets = [folder / "t0.npz", folder / "t1.npz"]
    save_signals(targets[0], [target(0), target(1)], Provenance())
    save_signals(targets[1], [target(2)], Provenance())
    save_losses(folder / "references.npz", [outputs(2, 0)], Provenance())
    save_losses(folder / "distilled.npz", [outputs(3, replicate) for replicate in range(3)], Provenance())
    return {"files": targets, "references": [folder / "references.npz"], "distilled": [folder / "distilled.npz"]}


def run(table, files, seed=1, attacks=ATTACKS, arms=("iid",), **options):
    chosen = {name: attack() for name, attack in attacks.items()}
    models = AttackersModels(**{kind: paths for kind, paths in files.items() if kind != "files"})
    return table("one", chosen, files["files"], seed, models, arms=arms, **options)


def test_models_trained_on_the_record_that_they_leave_out_are_named(files, tmp_path):
    records = np.sort(target(0).records[:4])
    trained_on = np.eye(2, 4, dtype=bool)
    wrong = Losses([card_of(0)] * 2, records, np.ones((2, 4), np.float32), trained_on)
    save_losses(tmp_path / "wrong.npz", [wrong], Provenance())
    options = {
        "attacks": {"L": LeaveOneOut},
        "alphas": (0.1,),
        "count": EACH,
    }
    with pytest.raises(
        KnowledgeError, match=r"wrong\.npz, knowledge\.leave_one_out: 2 models were trained on the record left out"
    ):
        run(per_record_table, files | {"leave_one_out": [tmp_path / "wrong.npz"]}, **options)


@pytest.mark.parametrize("letter", ATTACKS)
@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_verdicts_are_those_of_the_whole_attack(files, letter, alpha):
    table = run(per_record_table, files, alphas=(0.1, 0.3), count=EACH)
    models = AttackersModels((), files["references"], files["distilled"])
    attack = ATTACKS[letter](alpha=alpha)
    for signal in (signal for path in files["files"] for signal in load_signals(path)):
        knowledge = models.knowledge_of(signal)
        scores = attack.scores(signal, knowledge, np.random.default_rng(0))
        queried = signal.membership != POPULATION
        expected = pd.Series(attack.decisions(signal, scores)[queried], signal.records[queried]).sort_index()
        rows = table[(table["attack"] == letter) & (table["alpha"] == alpha)]
        rows = rows[rows["target"] == signal.card.replicate].set_index("record").sort_index()
        pd.testing.assert_series_equal(rows["decision"], expected, check_names=False, check_index_type=False)
        assert 0 < rows["decision"].mean() < 1
        np.testing.assert_allclose(rows["loss"], pd.Series(signal.losses, signal.records)[rows.index])
        assert (rows["decision"] == (rows["loss"] <= rows["threshold"])).all()
        assert set(signal.records[signal.is_member]) == set(rows.index[rows["membership"] == "member"])


def test_fewer_points_are_drawn_by_the_seed_alike_for_all_attacks(files):
    def drawn(table):
        return {key: set(rows["record"]) for key, rows in table.groupby(["target", "membership", "attack"])}

    table = run(per_record_table, files, alphas=(0.1,), count=10)
    assert table.columns.tolist() == PER_RECORD
    samples = drawn(table)
    assert {len(records) for records in samples.values()} == {10}
    for (one, part, _), records in samples.items():
        assert records == samples[one, part, "S"]
        members = target(one).records[target(one).membership == (MEMBER if part == "member" else NONMEMBER)]
        assert records <= set(members)
    assert drawn(run(per_record_table, files, alphas=(0.1,), count=10)) == samples
    assert drawn(run(per_record_table, files, seed=2, alphas=(0.1,), count=10)) != samples


def test_null_losses_are_those_the_attacks_describe(files):
    table = run(nulls_table, files, alpha=0.1)
    assert table.columns.tolist() == NULLS
    references = outputs(2, 0)
    assert set(table["attack"]) == set("SPRD")
    assert (table.groupby(["targets", "attack"])["record"].nunique() == 2).all()
    for (replicate, record, letter), rows in table.groupby(["target", "record", "attack"]):
        signal, reported = target(replicate), np.unique(rows["null_loss"])
        population = signal.membership == POPULATION
        mates = population & (signal.labels == LABELS[record])
        of_target = outputs(3, replicate)
        expected = {
            "S": [references.losses[~references.trained_on[:, row], row] for row in signal.records[mates]],
            "P": [signal.losses[population]],
            "R": [references.losses[~references.trained_on[:, record], record]],
            "D": [of_target.losses[~of_target.trained_on[:, record], record]],
        }
        np.testing.assert_allclose(reported, np.unique(np.concatenate(expected[letter])), rtol=1e-6)
        assert rows["loss"].nunique() == rows["threshold"].nunique() == 1
        assert rows["loss"].iloc[0] == pytest.approx(signal.losses[signal.records == record][0])


@pytest.mark.parametrize("targets", [1, 2])
def test_the_two_records_are_members_of_one_class_of_all_target_models(files, targets):
    table = run(nulls_table, files, alpha=0.1)
    table = table[table["targets"] == targets]
    models = [target(int(replicate)) for replicate in table["target"].unique()]
    records = table["record"].unique()
    assert (len(models), len(records)) == (targets, 2)
    assert table["label"].nunique() == 1
    shared = set.intersection(*(set(model.records[model.is_member]) for model in models))
    counts = np.bincount(LABELS[list(shared)], minlength=CLASSES)
    assert counts[table["label"].iloc[0]] == counts.max()
    mates = [record for record in shared if LABELS[record] == table["label"].iloc[0]]
    losses = pd.Series(models[0].losses, models[0].records)[mates].sort_values()
    places = [round(place * (len(mates) - 1)) for place in (0.25, 0.75)]
    assert sorted(records) == sorted(losses.index[places])


def test_of_two_target_models_those_with_most_in_common_are_taken(files):
    table = run(nulls_table, files, alpha=0.1)
    common = {}
    for one, other in ((0, 1), (0, 2), (1, 2)):
        members = [target(replicate).records[target(replicate).is_member] for replicate in (one, other)]
        common[one, other] = np.bincount(LABELS[np.intersect1d(*members)], minlength=CLASSES).max()
    taken = tuple(sorted(table.loc[table["targets"] == 2, "target"].unique()))
    assert common[taken] == max(common.values())


@pytest.mark.parametrize(("table", "options"), [(per_record_table, {"alphas": (0.1,), "count": 10}),
                                               (nulls_table, {"alpha": 0.1})])  # fmt: skip
def test_arms_are_measured_each_by_itself_and_only_those_given(files, tmp_path, table, options):
    def renamed(signal):
        return replace(signal, card=replace(signal.card, arm="other"), logits=-signal.logits)

    others = [renamed(target(replicate)) for replicate in range(3)]
    save_signals(tmp_path / "t.npz", others, Provenance())
    both = {**files, "files": [tmp_path / "t.npz", *files["files"]]}
    options |= {"attacks": {"P": Population}}
    alone = run(table, files, **options)
    of_other = run(table, {**files, "files": [tmp_path / "t.npz"]}, arms=["other"], **options)
    assert not of_other["loss"].isin(alone["loss"]).any()
    pd.testing.assert_frame_equal(run(table, both, **options), alone)
    rows = run(table, both, arms=["iid", "other"], **options)
    for arm, expected in (("iid", alone), ("other", of_other)):
        pd.testing.assert_frame_equal(rows[rows["arm"] == arm].reset_index(drop=True), expected)


def test_target_models_that_share_no_two_members_of_a_class_have_no_rows(tmp_path):
    records = np.arange(12)
    part = np.repeat(np.array([MEMBER, NONMEMBER, POPULATION], dtype=np.uint8), 4)
    logits = np.random.default_rng(1).standard_normal((12, CLASSES)).astype(np.float32)
    signals = [Signal(card_of(n), records + 4 * n, LABELS[records + 4 * n], part, logits) for n in range(2)]
    save_signals(tmp_path / "t.npz", signals, Provenance())
    files = {"files": [tmp_path / "t.npz"], "references": (), "distilled": ()}
    table = run(nulls_table, files, attacks={"P": Population}, alpha=0.1)
    assert set(table["targets"]) == {1}
    lonely = Signal(
        card_of(0), records[:3], LABELS[:3], np.array([MEMBER, NONMEMBER, POPULATION], np.uint8), logits[:3]
    )
    save_signals(tmp_path / "t.npz", [lonely], Provenance())
    table = run(nulls_table, files, attacks={"P": Population}, alpha=0.1)
    assert (len(table), table.columns.tolist()) == (0, NULLS)


def test_of_very_many_null_losses_some_are_reported_and_all_are_counted(tmp_path):
    count = MOST_LOSSES + 500
    records = np.arange(count + 4)
    part = np.array([MEMBER, MEMBER, MEMBER, NONMEMBER, *([POPULATION] * count)], dtype=np.uint8)
    logits = np.random.default_rng(1).standard_normal((len(records), 2)).astype(np.float32)
    signal = Signal(card_of(0), records, np.zeros(len(records), dtype=np.int64), part, logits)
    save_signals(tmp_path / "t.npz", [signal], Provenance())
    files = {"files": [tmp_path / "t.npz"], "references": (), "distilled": ()}
    table = run(nulls_table, files, attacks={"P": Population}, alpha=0.1)
    assert set(table.groupby("record").size()) == {MOST_LOSSES}
    assert set(table["null_losses"]) == {count}
    assert table["null_loss"].isin(signal.losses[part == POPULATION]).all()
    null = Population().null(signal, Knowledge())
    assert table["threshold"].iloc[0] == Population().estimator.threshold(null, 0.1)[0]
