"""Lists of the most exposed records and the false positive rates of single records, on laws that are known."""

import numpy as np
import pytest
from model_cards import card
from scipy.stats import binom

from dpmia.evaluation.exposure import NOMINAL, exposure_rows
from dpmia.formats.losses import Losses, save_losses
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import write_rows
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal, save_signals
from dpmia.formats.stages import EXPOSURE
from dpmia.formats.tables import read_table

RECORDS = 120


def target(replicate, losses, is_member, epsilon="1", arm="half"):
    """Return a model with given losses: two classes, the first one true."""
    part = np.where(is_member, MEMBER, NONMEMBER).astype(np.uint8)
    logits = np.stack([-np.log(np.expm1(losses)), np.zeros(len(losses))], axis=1).astype(np.float32)
    model_card = card(arm=arm, iid=True, epsilon=epsilon, replicate=replicate, meaning=[arm, epsilon, replicate])
    order = np.random.default_rng(replicate).permutation(len(losses))  # files keep records in any order
    labels = np.zeros(len(losses), dtype=np.int64)
    return Signal(model_card, np.arange(len(losses))[order], labels, part[order], logits[order])


def table(folder, signals, references=None):
    save_signals(folder / "targets.npz", signals, Provenance())
    files = []
    if references is not None:
        save_losses(folder / "references.npz", [references], Provenance())
        files = [folder / "references.npz"]
    write_rows(folder / "exposure.csv", exposure_rows("toy", [folder / "targets.npz"], 1, files), EXPOSURE)
    return read_table(folder / "exposure.csv")


def members(first):
    return np.arange(RECORDS) < first


def test_a_list_that_every_seed_gives_is_reported_and_another_is_not(tmp_path):
    rng = np.random.default_rng(0)
    own = rng.permutation(np.linspace(0.5, 4, RECORDS))  # what is the record's own, whatever the seed
    signals = []
    for replicate in range(3):
        signals.append(target(replicate, own + 0.01 * rng.random(RECORDS), members(80), "1"))
        signals.append(target(replicate, rng.uniform(0.5, 4, RECORDS), members(80), "inf"))
    stable, not_stable = table(tmp_path, signals).to_dict("records")
    assert (stable["epsilon"], not_stable["epsilon"]) == (1, np.inf)
    assert (stable["score"], stable["records"], stable["seeds"], stable["listed"]) == ("loss", 80, 3, 20)
    # The most exposed members are those with the smallest losses.
    lowest = set(np.argsort(own[:80])[:19].tolist())
    assert stable["verdict"] == "stable, by the loss alone: easy records, exposed or not"
    assert lowest <= set(map(int, stable["most_exposed"].split()))
    assert stable["jaccard"] > 0.9
    assert not_stable["verdict"] == "not stable: another seed lists other records"
    assert isinstance(not_stable["most_exposed"], float)
    assert not_stable["jaccard"] == pytest.approx(not_stable["by_chance"], abs=0.1)
    # Without reference models nobody promised a rate.
    assert np.isnan([stable["nominal_fpr"], stable["judged"], stable["fpr"]]).all()


@pytest.mark.parametrize(
    ("replicates", "shared", "reported"),
    [(2, 80, "no list: 80 records are members in all of 2 replicates"), (3, 20, "no list: 20 records are members")],
)
def test_no_list_is_made_of_too_few_seeds_or_records(tmp_path, replicates, shared, reported):
    losses = np.linspace(0.5, 4, RECORDS)
    (row,) = table(tmp_path, [target(r, losses, members(shared)) for r in range(replicates)]).to_dict("records")
    assert row["verdict"].startswith(reported)
    assert np.isnan(row["jaccard"])


def exchangeable(rng, models):
    """Return models that are all made alike, each trained on half of the records."""
    return rng.uniform(0.5, 4, (models, RECORDS)), rng.random((models, RECORDS)) < 0.5


def references(rng, epsilon="1", models=40, arm="half"):
    losses, trained_on = exchangeable(rng, models)
    cards = [card(arm=arm, epsilon=epsilon, role="reference", number=number) for number in range(models)]
    return Losses(cards, np.arange(RECORDS), losses.astype(np.float32), trained_on)


def test_the_rate_of_exchangeable_models_is_kept_and_a_broken_one_is_found(tmp_path):
    rng = np.random.default_rng(1)
    losses, trained_on = exchangeable(rng, 40)
    models = references(rng)
    kept = [target(r, *pair) for r, pair in enumerate(zip(losses, trained_on, strict=True))]
    (row,) = table(tmp_path, kept, models).to_dict("records")
    assert (row["score"], row["nominal_fpr"], row["judged"], row["exceeded"]) == ("lira_offline", NOMINAL, RECORDS, 0)
    assert 0.06 < row["fpr"] < 0.11
    losses[:, [3, 7]] = 0.01  # what is said of these two records is not what it would be of others
    broken = [target(r, *pair) for r, pair in enumerate(zip(losses, trained_on, strict=True))]
    (row,) = table(tmp_path, broken, models).to_dict("records")
    assert row["exceeded"] == 2


def test_target_models_that_share_few_reference_models_exceed_the_rate_no_more_often_than_by_chance(tmp_path):
    rng, runs, some = np.random.default_rng(4), 20, 0
    for _ in range(runs):
        losses, trained_on = exchangeable(rng, 30)
        cards = [card(arm="half", epsilon="1", role="reference", number=number) for number in range(20)]
        models = Losses(cards, np.arange(RECORDS), losses[:20].astype(np.float32), trained_on[:20])
        signals = [target(r, *pair) for r, pair in enumerate(zip(losses[20:], trained_on[20:], strict=True))]
        (row,) = table(tmp_path, signals, models).to_dict("records")
        assert 0 < row["testable"] < row["judged"]
        some += row["exceeded"] > 0
    assert some <= binom.ppf(1 - 1e-6, runs, 0.05)


def test_where_no_record_can_be_tested_none_is_said_to_keep_the_rate(tmp_path):
    rng = np.random.default_rng(5)
    losses, trained_on = exchangeable(rng, 1)
    losses[:, 3], trained_on[:, 3] = 0.01, False
    signals = [target(r, *pair) for r, pair in enumerate(zip(losses, trained_on, strict=True))]
    (row,) = table(tmp_path, signals, references(rng)).to_dict("records")
    assert row["judged"] > 0
    assert row["testable"] == 0
    assert row["smallest_p"] > 0.05
    assert np.isnan(row["exceeded"])


@pytest.mark.parametrize(("epsilon", "arm"), [("inf", "half"), ("1", "other")])
def test_models_that_are_not_trained_as_the_target_guarantee_nothing(tmp_path, epsilon, arm):
    rng = np.random.default_rng(2)
    losses, trained_on = exchangeable(rng, 3)
    signals = [target(r, *pair) for r, pair in enumerate(zip(losses, trained_on, strict=True))]
    (row,) = table(tmp_path, signals, references(rng, epsilon, arm=arm)).to_dict("records")
    assert row["score"] == ("lira_offline" if arm == "half" else "loss")
    assert np.isnan(row["nominal_fpr"])


def test_no_rate_below_the_resolution_is_reported(tmp_path):
    rng = np.random.default_rng(3)
    losses, trained_on = exchangeable(rng, 3)
    signals = [target(r, *pair) for r, pair in enumerate(zip(losses, trained_on, strict=True))]
    # Of eight models at most eight are without a record: no p-value is below 1/9.
    (row,) = table(tmp_path, signals, references(rng, models=8)).to_dict("records")
    assert (row["nominal_fpr"], row["judged"]) == (NOMINAL, 0)
    assert np.isnan(row["fpr"])
