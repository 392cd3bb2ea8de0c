"""The Python interface of attacks: the same numbers as the workflow's, whatever holds the arrays."""

import numpy as np
import pandas as pd
import pytest
import torch
from scipy.stats import norm
from sklearn.metrics import roc_auc_score, roc_curve

from dpmia import attack, audit_epsilon, bounds, upper_bound
from dpmia.attacks.base import Attack, Knowledge, outcome
from dpmia.attacks.bounded_loss import ZeroOneLoss
from dpmia.attacks.hypothesis import Population
from dpmia.attacks.lira import OfflineLira, OnlineLira
from dpmia.attacks.threshold import AverageThreshold
from dpmia.common.errors import ArgumentError
from dpmia.formats.losses import References
from dpmia.formats.signals import cross_entropy
from dpmia.settings import names

RECORDS, CLASSES, MODELS = 600, 4, 12


@pytest.fixture(scope="module")
def world():
    """Return outputs of a target and of reference models on records that each was trained on or not."""
    rng = np.random.default_rng(0)
    labels = rng.integers(CLASSES, size=RECORDS)
    trained_on = rng.random((MODELS + 1, RECORDS)) < 0.5
    hardness = rng.normal(size=RECORDS)
    logits = rng.normal(size=(MODELS + 1, RECORDS, CLASSES))
    logits[:, np.arange(RECORDS), labels] += 1.5 * trained_on - hardness
    return logits[0], labels, trained_on[0], logits[1:], trained_on[1:]


def everything(world, **options):
    logits, labels, is_member, references, trained_on = world
    population = ~is_member & (np.arange(RECORDS) % 3 == 0)
    return attack(
        logits, labels, is_member, references=references, trained_on=trained_on, population=population, **options
    )


def test_metrics_are_those_of_scikit_learn(world):
    result = everything(world, fprs=(0.5, 0.01, 0.001))["lira"]
    assert result.auc.value == pytest.approx(roc_auc_score(result.is_member, result.scores))
    fpr, tpr, _ = roc_curve(result.is_member, result.scores, drop_intermediate=False)
    assert result.tpr_at_fpr[0.5].value == tpr[fpr <= 0.5].max()
    outside = (~result.is_member).sum()
    assert result.resolution == 1 / outside
    assert 0.001 < result.resolution < 0.01
    assert np.isnan(result.tpr_at_fpr[0.001].value)
    assert result.tpr_at_fpr[0.01].value >= tpr[fpr == 0].max()
    expected = result.decisions[result.is_member].mean() - result.decisions[~result.is_member].mean()
    assert result.advantage.value == pytest.approx(expected)
    assert result.auc.low < result.auc.value < result.auc.high


def test_scores_are_those_of_the_librarys_attack(world):
    logits, labels, is_member, references, trained_on = world
    result = everything(world)["lira_offline"]
    losses = np.stack([cross_entropy(reference, labels) for reference in references])
    from dpmia.formats.model_card import ModelCard
    from dpmia.formats.signals import Signal

    signal = Signal(ModelCard("x", False, "inf", "target", []), np.arange(RECORDS), labels, is_member * 1, logits)
    knowledge = Knowledge(references=References(losses, trained_on))
    whole = outcome(OfflineLira(), signal, knowledge, np.random.default_rng(0))
    assert result.records.tolist() != list(range(RECORDS))
    # The pooled variance is over evaluated records, and here some are population: the order of scores is the same.
    rest = whole.scores[result.records]
    assert np.corrcoef(rest, result.scores)[0, 1] > 1 - 1e-12
    alone = attack(logits, labels, is_member, references=references, trained_on=trained_on, attacks="lira_offline")
    np.testing.assert_array_equal(alone["lira_offline"].scores, whole.scores)


def test_all_that_the_arguments_suffice_for_runs_and_no_oracle(world):
    logits, labels, is_member, references, _ = world
    assert set(attack(logits, labels, is_member)) == {"average_threshold"}
    offline = set(attack(logits, labels, is_member, references=references))
    assert offline == {"average_threshold", "lira_offline", "reference"}
    of_all = set(everything(world))
    assert of_all == offline | {"lira", "population", "rmia", "rmia_offline", "shadow_threshold"}
    assert not any(result.oracle for result in everything(world).values())
    assert everything(world, attacks=["random"])["random"].oracle


def test_an_attack_with_too_few_population_records_is_left_out_unless_it_is_named(caplog):
    rng = np.random.default_rng(0)
    outputs, inside = rng.normal(size=(60, 2)), np.arange(60) < 20
    given = {"population": np.arange(60) >= 50, "features": rng.normal(size=(60, 3))}
    assert "average_threshold" in attack(outputs, [0] * 60, inside, **given)
    assert "quantile_regression is left out: " in caplog.text
    with pytest.raises(ArgumentError, match=r"^attack, quantile_regression: 10 population records cannot"):
        attack(outputs, [0] * 60, inside, attacks="quantile_regression", **given)


def test_losses_that_would_all_count_alike_are_refused():
    inside = np.arange(40) < 20
    with pytest.raises(ArgumentError, match=r"outputs: some losses are above 744 nats, .*\. Divide all by one number"):
        attack(900.0 + inside, None, inside, scale="losses")


def test_limits_at_a_low_rate_allow_for_the_threshold():
    rng = np.random.default_rng(0)
    inside = np.arange(600) < 500
    for _ in range(20):
        results = attack(rng.uniform(0, 1, 600), None, inside, scale="losses", attacks="average_threshold", fprs=[0.01])
        rate = results["average_threshold"].tpr_at_fpr[0.01]
        assert rate.low == 0 <= 0.01 < rate.high, "100 non-members say little about a rate of 1 %"


class Changing(Attack):
    """Changes all that it is given."""

    uses = ("references",)

    def scores(self, signal, knowledge, rng):
        scores = -signal.losses
        for array in (signal.labels, signal.logits, signal.membership, knowledge.references.losses):
            array[...] = 0
        return scores

    def decisions(self, signal, scores):
        return scores > 0


def test_an_attack_changes_nothing_that_another_sees(world):
    plain = everything(world, attacks={"average_threshold": {}, "reference": {}})
    beside = everything(world, attacks={"mine": Changing(), "average_threshold": {}, "reference": {}})
    for name in plain:
        np.testing.assert_array_equal(beside[name].scores, plain[name].scores)
    assert beside["average_threshold"].advantage == plain["average_threshold"].advantage


def test_the_attacked_model_is_no_reference_model_of_its_own(world):
    with pytest.raises(
        ArgumentError, match=r"^attack, references, model 1: its outputs are those of the attacked model"
    ):
        attack([[1.0, 0.0], [0.0, 2.0]], [0, 1], [True, False], references=[[[1.0, 0.5], [0.0, 2.0]], [[1, 0], [0, 2]]])


def test_an_attack_that_refuses_the_reference_models_is_left_out_unless_it_is_named(world, caplog):
    logits, labels, is_member, references, trained_on = world
    trained_on = trained_on & is_member
    trained_on[:, np.flatnonzero(is_member)[5:]] = True  # nearly all members are in every model
    given = {"references": references, "trained_on": trained_on}
    assert set(attack(logits, labels, is_member, **given)) == {"average_threshold"}
    assert "lira_offline is left out: knowledge.references: " in caplog.text
    with pytest.raises(ArgumentError, match=r"^attack, lira_offline: 9.* that alone separates them\. Draw"):
        attack(logits, labels, is_member, attacks="lira_offline", **given)


def test_attack_r_takes_a_single_reference_model(world):
    logits, labels, is_member, references, _ = world
    assert attack(logits, labels, is_member, references=references[:1], attacks="reference")["reference"].auc


def test_arrays_of_torch_and_pandas_give_the_same(world):
    logits, labels, is_member, *_ = world
    exact = logits.astype(np.float32)
    wanted = attack(exact, labels, is_member)
    parameter = torch.nn.Parameter(torch.from_numpy(exact))
    frame = pd.DataFrame(exact, columns=list("abcd"))
    for outputs, codes, members in (
        (parameter, torch.from_numpy(labels), torch.from_numpy(is_member)),
        (frame, pd.Series(labels), pd.Series(is_member.astype(object))),
        (exact, pd.Series(labels, index=labels), is_member),
        (exact.tolist(), labels.tolist(), is_member.astype(int).tolist()),
    ):
        results = attack(outputs, codes, members)
        assert repr(results) == repr(wanted)
        np.testing.assert_array_equal(results["average_threshold"].scores, wanted["average_threshold"].scores)
    half = attack(parameter.to(torch.bfloat16), labels, is_member)
    assert abs(half["average_threshold"].auc.value - wanted["average_threshold"].auc.value) < 0.01


def test_probabilities_and_losses_give_what_logits_give(world):
    logits, labels, is_member, references, trained_on = world
    wanted = attack(
        logits, labels, is_member, references=references, trained_on=trained_on, attacks=["lira", "reference"]
    )
    exps = [np.exp(array - array.max(axis=1, keepdims=True)) for array in (logits, *references)]
    probabilities, *others = (array / array.sum(axis=1, keepdims=True) for array in exps)
    given = {"trained_on": trained_on, "attacks": ["lira", "reference"]}
    results = attack(probabilities, labels, is_member, references=others, scale="probabilities", **given)
    losses = [cross_entropy(array, labels) for array in (logits, *references)]
    lost = attack(losses[0], None, is_member, references=losses[1:], scale="losses", **given)
    for name in wanted:
        np.testing.assert_allclose(results[name].scores, wanted[name].scores, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(lost[name].scores, wanted[name].scores, rtol=1e-9, atol=1e-9)


def test_advantage_and_interval_of_a_known_law():
    """Losses of two shifted Gaussians: the AUC is known, and is inside of the interval as often as it says."""
    rng = np.random.default_rng(1)
    is_member = np.arange(400) < 200
    truth = norm.cdf(1 / np.sqrt(2))
    inside = 0
    for _ in range(100):
        losses = rng.normal(20, 1, size=400) - is_member
        auc = attack(losses, None, is_member, scale="losses", attacks="average_threshold")["average_threshold"].auc
        inside += auc.low <= truth <= auc.high
    assert inside >= 87  # 95 expected; fewer happen in one of a million


def test_options_kinds_and_objects(world):
    results = everything(
        world,
        attacks={
            "strict": {"kind": "reference", "alpha": 0.01},
            "reference": {"alpha": 0.3},
            "mine": AverageThreshold(),
        },
    )
    assert list(results) == ["strict", "reference", "mine"]
    assert results["strict"].decisions.sum() < results["reference"].decisions.sum()
    assert everything(world, attacks={"lira": None})["lira"].auc == everything(world)["lira"].auc


def test_tables_pictures_and_texts(world, tmp_path):
    results = everything(world)
    frame = results.to_frame()
    assert len(frame) == 4 * len(results)
    row = frame.set_index(["attack", "metric"]).loc["lira", "auc"]
    assert (row["value"], row["low"]) == (results["lira"].auc.value, results["lira"].auc.low)
    records = results["lira"].to_frame()
    assert records["score"].tolist() == results["lira"].scores.tolist()
    assert "not measurable" in repr(results["lira"])
    assert repr(results).count("\n") == len(results) + 2
    figure = results.plot(bound=upper_bound(noise_multiplier=1.0))
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert set(labels) == {*results, "exact upper bound", "guessing"}
    figure.savefig(tmp_path / "roc.png")
    assert figure._repr_png_().startswith(b"\x89PNG"), "notebooks show it"
    with pytest.raises(KeyError, match="Did you mean 'lira'"):
        results["lyra"]
    with pytest.raises(AttributeError):
        results["lira"].auc = 1


WRONG = {
    "labels-row": ({"labels": [0] * 5 + [7]}, r"attack, labels, row 5: 7 is not one of the class numbers 0 to 1\."),
    "labels-short": ({"labels": [0, 1]}, r"attack, labels: 2 labels for 6 rows of outputs\. Give one label"),
    "labels-missing": ({"labels": None}, r"attack, labels: missing\."),
    "outputs-nan": ({"outputs": [[0, np.nan]] * 6}, r"attack, outputs, row 0: 6 values .*\. Leave these"),
    "outputs-flat": ({"outputs": [1.0] * 6}, r"shape \(6,\) in place of \(records, classes\)\. Give a row"),
    "outputs-one": ({"outputs": [[1.0]] * 6}, r"attack, outputs: one column\."),
    "outputs-text": ({"outputs": [["a", "b"]] * 6}, r"attack, outputs: it holds values of type"),
    "outputs-ragged": ({"outputs": [[1, 2], [1]] * 3}, r"attack, outputs: rows of different lengths\."),
    "scale": ({"scale": "logit"}, r"attack, scale: 'logit' is not one of .*Did you mean 'logits'\?"),
    "no text": ({"scale": pd.NA}, r"attack, scale: <NA> is not one of"),
    "probabilities": ({"scale": "probabilities"}, r"attack, outputs, row 0: 0, 1 are not|row 1: 1, 2 are not prob"),
    "rounded": (
        {"outputs": [[0.3, 0.3]] * 6, "scale": "probabilities"}, r"row 0: .*\. Give all classes, with more digits",
    ),
    "as-logits": ({"outputs": [[0.25, 0.75]] * 6}, r"attack, outputs: all rows are prob.*Set scale='probabilities'"),
    "references-as-logits": ({"references": [[[0, 1]] * 6]}, r"attack, references, model 0: all rows are probabilit"),
    "one-hot": ({"labels": [[0, 1]] * 6}, r"attack, labels: .* \(6, 2\) in place of \(records,\)\. .*argmax\(axis=1\)"),
    "column": ({"labels": [[0], [1]] * 3}, r"attack, labels: .* \(6, 1\) in place of .*np\.ravel\(labels\)"),
    "one-column": ({"outputs": [[0.5]] * 6}, r"attack, outputs: one column\. .*np\.column_stack\(\[1 - p, p\]\)"),
    "percentages": ({"outputs": [[25, 75]] * 6}, r"attack, outputs: all rows are percentages.*\. Divide all by 100"),
    "losses": ({"scale": "losses"}, r"attack, labels: cannot be combined with scale 'losses'\. Give labels=None"),
    "no-labels": ({"labels": None}, r"attack, labels: missing\. Give the class number of each record"),
    "copies": ({"references": [[[0, 2]] * 6] * 2}, r"references, model 1: its outputs are those of model 0\. Leave it"),
    "arguments": ({"attacks": {"random": {"arguments": {}}}}, r"unknown option arguments\. .* stand beside 'kind'"),
    "empty": ({"outputs": np.zeros((0, 2))}, r"attack, outputs: an array of shape \(0, 2\) is empty\. Give one row"),
    "flags": ({"is_member": list("yn") * 3}, r"attack, is_member: it holds values of type <U1.*\. Give True or 1"),
    "masked": (
        {"outputs": np.ma.masked_equal([[0, 9], [1, 9], [2, 9], [0, 3], [1, 0], [2, 2]], 9)},
        r"attack, outputs: 3 values are masked\. Fill them in, or leave these records out",
    ),
    "flags-short": ({"is_member": [0, 1]}, r"is_member: .* \(2,\) in place of \(6,\)\. Give one truth"),
    "own-name": ({"attacks": {"mine": {"knd": "lira"}}}, r"is not an attack\. Name the attack of 'mine' by .*'kind'"),
    "no-member": ({"is_member": [0] * 6}, r"attack, is_member: there is no member\."),
    "no-truth": ({"is_member": [0, 1, 2, 0, 1, 1]}, r"attack, is_member: some values .*: 2\. Give True or 1 for yes"),
    "population": ({"population": [1, 0, 0, 0, 0, 0]}, r"attack, population: row 0 is a member\."),
    "no-attack": ({"attacks": "lyra"}, r"attack, attacks: 'lyra' is not an attack\..*Did you mean 'lira'\?"),
    "name": ({"attacks": {1: {"kind": "lira"}}}, r"attack, attacks: the name 1 is no text\. Name each attack"),
    "option": ({"attacks": {"random": {"beta": 1}}}, r"attack, random: unknown option beta\. .*: none"),
    "type": ({"attacks": {"rmia_offline": {"gamma": 1j}}, "references": [[[0, 2]] * 6], "population": [0] * 5 + [1]},
             r"attack, rmia_offline: gamma is 1j, not a number of at least 1"),
    "range": ({"attacks": {"population": {"alpha": 2}}, "population": [0] * 5 + [1]}, r"population: alpha is 2"),
    "needs": ({"attacks": "lira"}, r"attack, lira: it needs the argument 'references'\. Give that, or"),
    "only": ({"attacks": "shadow"}, r"attack, shadow: it needs shadows, which only the workflow provides\."),
    "rates": ({"fprs": [0, 0.1]}, r"attack, fprs: \(0\.0, 0\.1\) are not all between 0 and 1\."),
    "references": ({"references": [[[0, 2]] * 3]}, r"references, model 0: 3 records of 2 classes in place of 6"),
    "online": ({"attacks": "rmia", "references": [[[0, 2]] * 6], "population": [0] * 5 + [1]},
               r"attack, rmia: it needs 1 reference model that was trained on a member"),
    "variance": ({"attacks": "lira_offline", "references": [[[0, 2]] * 6]}, r"needs 2 reference models that were not"),
    "trained": ({"trained_on": [[0] * 6]}, r"attack, trained_on: given without references\."),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), WRONG.values(), ids=WRONG)
def test_mistakes_have_one_message(change, message):
    right = {"outputs": [[0, 1], [1, 2], [2, 0], [0, 3], [1, 0], [2, 2]], "labels": [0, 1] * 3, "is_member": [1, 0] * 3}
    attack(**right)
    with pytest.raises(ArgumentError, match=message):
        attack(**right | change)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)]),
        lambda: torch.zeros(6, 2, device="meta"),
        lambda: torch.zeros(6, 2).to_sparse(),
    ],
    ids=["nested", "meta", "sparse"],
)
def test_tensors_without_numbers_to_read_are_refused(make):
    with pytest.raises(ArgumentError, match="attack, outputs: no numbers can be read from this tensor"):
        attack(make(), [0, 1] * 3, [1, 0] * 3)


class Unreadable:
    """An object whose own conversion fails."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("no array")


def test_objects_that_do_not_become_arrays_are_refused():
    with pytest.raises(ArgumentError, match=r"attack, outputs: its own conversion .* fails \(RuntimeError: no array\)"):
        attack(Unreadable(), [0, 1] * 3, [1, 0] * 3)


@pytest.mark.parametrize("references", [-1.5, memoryview(np.zeros((6, 6, 2))), 3])
def test_references_that_are_no_models_are_refused(references):
    right = {"outputs": [[0, 1], [1, 2], [2, 0], [0, 3], [1, 0], [2, 2]], "labels": [0, 1] * 3, "is_member": [1, 0] * 3}
    with pytest.raises(ArgumentError, match=r"attack, references: \w+ holds no outputs of several models"):
        attack(**right, references=references)


def test_too_many_models_are_refused_before_they_are_read():
    right = {"outputs": [[0, 1], [1, 2], [2, 0], [0, 3], [1, 0], [2, 2]], "labels": [0, 1] * 3, "is_member": [1, 0] * 3}
    many = np.broadcast_to(np.zeros((6, 2)), (10**9, 6, 2))
    with pytest.raises(ArgumentError, match=r"attack, references: outputs of over 100000 models\. Give fewer"):
        attack(**right, references=many)


def test_rows_of_pandas_are_never_matched_by_position_where_their_names_differ(world):
    logits, labels, is_member, references, _ = world
    frame, order = pd.DataFrame(logits), np.random.default_rng(0).permutation(RECORDS)
    shuffled = pd.Series(labels).iloc[order]
    message = r"attack, labels: its index is not that of outputs.*Give it by \.loc\[outputs\.index\]"
    with pytest.raises(ArgumentError, match=message):
        attack(frame, shuffled, is_member)
    results = attack(frame, shuffled.loc[frame.index], pd.Series(is_member))
    assert repr(results) == repr(attack(logits, labels, is_member))
    with pytest.raises(ArgumentError, match=r"attack, is_member: its index is not that of labels"):
        attack(logits, shuffled, pd.Series(is_member))
    with pytest.raises(ArgumentError, match=r"attack, references, model 1: its index is not that of outputs"):
        attack(frame, labels, is_member, references=[frame, pd.DataFrame(references[0]).iloc[order]])
    with pytest.raises(ArgumentError, match=r"attack, population: its index"):
        attack(frame, labels, is_member, population=pd.Series(False, index=order))
    with pytest.raises(ArgumentError, match=r"audit_epsilon, is_member: its index is not that of scores"):
        audit_epsilon(shuffled, pd.Series(is_member))


def test_logits_that_look_like_probabilities_can_be_attacked(world):
    """The remedy of the message changes no result: a softmax does not see what is added to all logits."""
    _, labels, is_member, *_ = world
    logits = np.full((RECORDS, CLASSES), 0.2)
    logits[np.arange(RECORDS), labels] = 0.4
    with pytest.raises(ArgumentError, match="if they are logits, add 1 to all, which changes no result"):
        attack(logits, labels, is_member)
    logits[0] = 1.0  # one row that is no distribution
    np.testing.assert_allclose(
        attack(logits, labels, is_member)["average_threshold"].scores,
        attack(logits + 1, labels, is_member)["average_threshold"].scores,
    )


def test_a_single_nonmember_has_no_curve():
    result = attack([[0, 1], [1, 2], [2, 0]], [0, 1, 0], [1, 1, 0])
    with pytest.raises(ArgumentError, match=r"plot: a single non-member shows no false positive rate below 1\."):
        result.plot()


def test_only_an_exact_upper_bound_is_drawn(world):
    logits, labels, is_member, *_ = world
    for wrong in (3, bounds(1.0)):
        with pytest.raises(ArgumentError, match=r"plot, bound: .* is no exact upper bound\. Give what dpmia"):
            attack(logits, labels, is_member).plot(bound=wrong)


def test_an_object_of_an_attack_is_refused_like_its_name_where_something_is_missing(world):
    losses = np.linspace(0.1, 2.0, 100)
    inside = np.arange(100) < 50
    for mine, needs in (
        (ZeroOneLoss(), "outputs for all classes"),
        (OnlineLira(), "the argument 'references'"),
        (Population(), "the argument 'population'"),
    ):
        with pytest.raises(ArgumentError, match=f"attack, mine: it needs {needs}"):
            attack(losses, None, inside, scale="losses", attacks={"mine": mine})


def test_every_attack_of_the_library_is_offered_or_says_what_it_needs(world):
    for name in names.ATTACKS:
        if name in ("shadow", "collusion", "distillation"):
            with pytest.raises(ArgumentError, match="which only the workflow provides"):
                everything(world, attacks=name)
        else:
            features = world[0] if name == "quantile_regression" else None
            assert 0 <= everything(world, attacks=name, features=features)[name].auc.value <= 1
