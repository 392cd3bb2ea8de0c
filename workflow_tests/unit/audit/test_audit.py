"""The audit of the example, from the file to the page, and of a model that is known by its answers only."""

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from audit_entries import changed
from browser import BROWSER, NO_BROWSER, probe, serious_violations
from given_predictions import prediction_settings
from in_process import audit_job, prepare, run

from dpmia.attacks.lira import OfflineLira
from dpmia.attacks.threshold import AverageThreshold
from dpmia.audit.choices import attacks_of, best, select
from dpmia.audit.content import AuditContent
from dpmia.audit.formatting import GUESSING_OF_HUNDRED, METRICS, of_hundred
from dpmia.audit.gather import gather
from dpmia.audit.glossary import MEANING, TRIAL
from dpmia.audit.limits import audit_limits
from dpmia.audit.page import page
from dpmia.audit.verdicts import MODEL_VERDICTS
from dpmia.common.errors import DataError
from dpmia.evaluation.predictions import read_predictions, tables
from dpmia.formats.losses import load_losses
from dpmia.formats.signals import MEMBER, NONMEMBER, load_all
from dpmia.formats.tables import read_table
from dpmia.jobs.attacking import AuditedAttack
from dpmia.jobs.auditing import AuditPart
from dpmia.planning import prediction_jobs
from dpmia.planning.descriptions import describe_predictions
from dpmia.planning.plan import make_plan
from dpmia.settings.config import LIMITED
from dpmia.settings.generate import ROOT

FAIL_ABOVE = {"advantage": 0.0, "tpr_at_0.1pct_fpr": 0.1}


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """Run both experiments of the example at the smallest scale, with as many replicates as an interval takes."""
    plan = make_plan({"scale": "smoke", "experiments": ["experiments/patients.yaml"]}, ROOT)
    assert plan.audits == {"patients": ("audit_mlp", "audit_forest")}
    folder = tmp_path_factory.mktemp("audit")
    dataset = prepare(plan.experiments["audit_mlp"], ROOT / "examples")
    three = {"replicates": 3, "block": 3}
    experiments = {name: experiment.model_copy(update=three) for name, experiment in plan.experiments.items()}
    return {name: run(name, experiment, dataset, folder / name) for name, experiment in experiments.items()}


@pytest.fixture(scope="module")
def audit(parts):
    written = json.dumps(gather(audit_job(parts, fail_above=FAIL_ABOVE)).plain(), allow_nan=False)
    return AuditContent.from_plain(json.loads(written))


def test_every_arm_epsilon_and_attack_is_reported(audit):
    mlp = select(audit.results, experiment="audit_mlp")
    assert {entry.arm for entry in mlp} == {"north", "north-iid", "south", "south-iid"}
    assert {entry.epsilon for entry in mlp} == {"1", "inf"}
    assert {entry.attack for entry in mlp} == {"average_threshold", "lira_offline", "blind"}
    assert audit.run.synthetic
    assert audit.without_arm == ["island (60)"]


def test_bounds_are_reported_where_they_hold_and_nowhere_else(audit):
    for entry in attacks_of(audit.results):
        holds = entry.iid and entry.epsilon == "1"
        assert (entry.bound is not None) == (entry.ceiling is not None) == holds
        assert (entry.warning is None) == holds
        if holds:
            assert entry.ceiling < entry.bound == pytest.approx(0.462, abs=0.001)


def test_the_guarantee_of_each_private_model_is_stated_as_its_card_has_it(audit, parts):
    cards = [signal.card for signal in load_all(parts["audit_mlp"].signals)]
    private = [(models.arm, models.guarantee) for models in audit.guarantees for _ in range(models.models)]
    assert sorted(private, key=str) == sorted(
        ((card.arm, card.guarantee) for card in cards if card.accounting is not None), key=str
    )
    assert len(private) == 4 * 3, "arms and replicates, at epsilon 1"
    assert {models.experiment for models in audit.guarantees} == {"audit_mlp"}, "forests have none"
    first = audit.guarantees[0].guarantee
    text = page(audit)
    for shown in (f"{first.noise_multiplier:.4g}", f"{first.rate:.4g}", first.sampler, first.accountant):
        assert f">{shown}</td>" in text


def test_a_rate_below_what_the_data_can_show_is_not_reported(audit):
    assert all(entry.metrics["tpr_at_0.1pct_fpr"] is None and entry.resolution > 0.001 for entry in audit.results)
    assert all(entry.metrics["tpr_at_1pct_fpr"] is not None for entry in audit.results)


def test_numbers_are_those_of_the_summary(audit, parts):
    summary = read_table(parts["audit_mlp"].summary)
    row = summary.query("arm == 'south' and epsilon == 1 and attack == 'lira_offline' and metric == 'auc'").iloc[0]
    of_model = select(audit.results, experiment="audit_mlp", arm="south", epsilon="1")
    (reported,) = (entry for entry in of_model if entry.attack == "lira_offline")
    assert reported.auc.mean == pytest.approx(row["mean"])


def test_groups_stand_beside_their_iid_arm_and_the_dependence_index(audit):
    groups = audit.groups
    assert {(risk.group, risk.experiment) for risk in groups} == {
        (group, experiment) for group in ("north", "south") for experiment in ("audit_mlp", "audit_forest")
    }
    assert all(risk.dependence_index.mean > 0.65 and risk.iid_auc for risk in groups)


def test_limits_that_are_exceeded_or_cannot_be_evaluated_are_named(audit):
    limits = audit.limits
    assert limits.verdict == "failed"
    (reason,) = limits.held.not_evaluated.values()
    assert list(limits.held.not_evaluated) == ["tpr_at_0.1pct_fpr"]
    assert reason.startswith("the non-members can show false positive rates from 0.00")
    values = [mean.value - mean.limit for mean in limits.exceeded]
    assert values == sorted(values, reverse=True)
    assert all(mean.low > mean.limit for mean in limits.exceeded)


@pytest.mark.parametrize(
    ("limits", "epsilons", "verdict"),
    [({}, None, "none"), ({"auc": 1.0}, None, "passed"), ({"auc": 0.2}, [1.0], "failed"),
     ({"tpr_at_0.1pct_fpr": 1.0}, None, "not_evaluated")],
)  # fmt: skip
def test_verdicts(audit, limits, epsilons, verdict):
    held = audit_limits(audit.results, limits, epsilons)
    assert held.verdict == verdict
    assert {mean.epsilon for mean in held.exceeded} <= ({"1"} if epsilons else set())


def test_a_limit_that_one_arm_cannot_show_is_not_passed(audit):
    results = [changed(entry, tpr_at_1pct_fpr=None) if entry.arm == "south" else entry for entry in audit.results]
    assert audit_limits(audit.results, {"tpr_at_1pct_fpr": 1.0}, None).verdict == "passed"
    assert audit_limits(results, {"tpr_at_1pct_fpr": 1.0}, None).verdict == "not_evaluated"
    without = audit_limits(results, {"auc": 1.0}, [3.0])
    assert without.verdict == "not_evaluated"
    assert without.held.not_evaluated == {"auc": "no model was trained with these epsilons"}


def test_the_most_exposed_records_are_rows_of_the_file(audit):
    lines = (ROOT / "examples/patients.csv").read_text().splitlines()
    for arm in audit.exposed:
        assert len(arm.records) == 10
        above = [record.above for record in arm.records]
        assert above == sorted(above)
        for record in arm.records:
            assert lines[record.row - 1].startswith(record.group)
        assert arm.stability.by_chance < 0.2


class _Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.targets, self.outside = set(), set(), []

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.ids.add(value)
            if name == "href" and value.startswith("#"):
                self.targets.add(value[1:])
            if name in ("src", "href") and not value.startswith(("#", "data:")):
                self.outside.append(value)


def test_the_page_says_what_the_numbers_say(audit):
    text = page(audit)
    links = _Links()
    links.feed(text)
    assert links.outside == []
    assert links.targets <= links.ids
    for phrase in (
        "Synthetic data",
        "above a limit",
        "island (60)",
        "patients.csv",
        "differential privacy bounds no attack here",
        "blind baseline:",
        "What to do",
        "ROC curves",
        "TPR at 0.1 % FPR: 0.1",
        *(MEANING[row.verdict] for experiment in audit.experiments.values() for row in experiment.verdicts),
    ):
        assert phrase in text
    if any(record.above == 0 for arm in audit.exposed for record in arm.records):
        assert "&lt; 1/2" in text
    for experiment in audit.experiments.values():
        for section in experiment.in_plain_words:
            for paragraph in section.paragraphs:
                assert paragraph.replace("'", "&#39;") in text


def test_a_trial_says_that_it_is_none_of_the_results(audit):
    assert f"anything about real records. {TRIAL}</p>" in page(audit)
    assert TRIAL not in page(replace(audit, run=replace(audit.run, scale="laptop")))


def test_each_verdict_has_its_meaning_once_and_each_limit_a_name(audit):
    assert set(MEANING) == set(MODEL_VERDICTS)
    assert set(METRICS) == set(LIMITED)
    text = page(audit)
    given = {verdict.verdict for experiment in audit.experiments.values() for verdict in experiment.verdicts}
    assert all(text.count(MEANING[kind].replace("'", "&#39;")) == (kind in given) for kind in MEANING)


@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
@pytest.mark.parametrize(
    ("width", "dark"),
    [pytest.param(390, True, id="phone, dark", marks=pytest.mark.slow), pytest.param(1280, False, id="screen, light")],
)
def test_an_accessibility_checker_finds_nothing_serious_on_the_page(audit, tmp_path, width, dark):
    assert serious_violations(tmp_path, page(audit), width, dark) == []


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
def test_the_page_fits_a_phone_and_is_printed_unfolded(audit, tmp_path):
    script = """addEventListener("load", () => {
      const wider = document.documentElement.scrollWidth - innerWidth;
      dispatchEvent(new Event("beforeprint"));
      const folded = document.querySelectorAll("main details:not([open])").length;
      document.title = JSON.stringify({wider, folded});
    });"""
    seen, complaints = probe(tmp_path, page(audit), script, 390, dark=False)
    assert complaints == []
    assert seen["wider"] <= 0
    assert seen["folded"] == 0


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason=NO_BROWSER)
def test_the_widest_table_fits_a_screen(audit, tmp_path):
    limits = {"low": 0.11, "high": 0.92, "half_width": 0.1, "error": 0.03, "degrees": 3.0, "records_error": 0.0}
    results = [
        replace(entry, metrics={name: cell and replace(cell, **limits) for name, cell in entry.metrics.items()})
        for entry in audit.results
    ]
    script = """addEventListener("load", () => {
      const sheets = [...document.querySelectorAll(".sheet.wide")];
      document.title = JSON.stringify({cut: sheets.map((sheet) => sheet.scrollWidth - sheet.clientWidth)});
    });"""
    seen, _ = probe(tmp_path, page(replace(audit, results=results)), script, 1280, dark=False)
    assert seen["cut"] == [0] * (len(audit.experiments) + 1), "attacks on each, and guarantees of one"


def test_plain_words_hold_the_numbers_their_interval_and_their_arm(audit):
    strongest = best(select(audit.results, experiment="audit_forest", epsilon="inf", iid=True))
    (section,) = audit.experiments["audit_forest"].in_plain_words
    assert section.model == "random forest without privacy"
    paragraph, against_baseline = section.paragraphs
    assert strongest.auc.low < strongest.auc.mean < strongest.auc.high
    assert f"in {of_hundred(strongest.auc, GUESSING_OF_HUNDRED)} of 100 pairs" in paragraph
    assert f"({strongest.label}; {strongest.members} members and {strongest.nonmembers} non-members" in paragraph
    assert "A blind baseline that sees only the records" in against_baseline


# Predictions only


@pytest.fixture(scope="module")
def given(parts, tmp_path_factory):
    """Return the tables of one target model and its reference models, and what the full run found about it."""
    folder = tmp_path_factory.mktemp("given")
    job = parts["audit_mlp"]
    target = next(
        signal
        for signal in load_all(job.signals)
        if (signal.card.arm, signal.card.epsilon, signal.card.replicate) == ("south", "inf", 1)
    ).of(MEMBER, NONMEMBER)
    write(folder / "model.csv", target.logits, target.labels, target.is_member)
    (losses,) = (group for file in job.attacks["lira_offline"].files for group in load_losses(file)
                 if group.cards[0].arm == "south-iid")  # fmt: skip
    references = losses.on(target.records, np.array([card.epsilon == "inf" for card in losses.cards]))
    for number, (loss, trained_on) in enumerate(zip(references.losses, references.trained_on, strict=True)):
        right = np.exp(-loss)
        outputs = np.where(np.arange(2) == target.labels[:, None], right[:, None], 1 - right[:, None])
        with np.errstate(divide="ignore"):
            write(folder / f"reference-{number}.csv", np.log(np.maximum(outputs, 1e-300)), target.labels, trained_on)
    return folder, read_table(Path(parts["audit_mlp"].summary).parent / "replicates.csv")


def write(path, logits, labels, member):
    frame = pd.DataFrame({"z0": logits[:, 0].astype(float), "z1": logits[:, 1].astype(float)})
    frame.assign(label=np.array(["no", "yes"])[labels], member=np.where(member, "yes", "no")).to_csv(path, index=False)


def test_predictions_only_give_the_numbers_of_the_full_run(given, tmp_path):
    folder, full = given
    model = read_predictions(prediction_jobs.read_job(prediction_settings(folder)))
    attacks = {"average_threshold": AverageThreshold(), "lira_offline": OfflineLira()}
    rows, summary = tables("mine", attacks, model, 1)
    for attack in attacks:
        for metric in ("advantage", "auc", "tpr_at_1pct_fpr"):
            same = full.query(
                "arm == 'south' and epsilon == inf and replicate == 1 and attack == @attack and metric == @metric"
            )
            mine = rows.query("attack == @attack and metric == @metric")
            assert mine["value"].item() == pytest.approx(same["value"].item(), abs=1e-6), (attack, metric)
    reported = summary.query("attack == 'average_threshold' and metric == 'auc'").iloc[0]
    assert reported["low"] < reported["mean"] < reported["high"]
    assert reported["interval"] == "records"


def predictions_job(queried, folder, references):
    """Return the job that reports on predictions only."""
    attacks = {
        name: AuditedAttack(spec.attack, spec.options, references)
        for name, spec in prediction_jobs.attacks(queried).items()
    }
    files = str(folder / "summary.csv"), [str(folder / "signals.npz")]
    part = AuditPart(describe_predictions("mine", queried), {}, attacks, *files)
    return audit_job({"mine": part}, data="real", fail_above=FAIL_ABOVE)


def test_an_audit_of_predictions_only_has_a_page(given, tmp_path):
    folder, _ = given
    queried = prediction_settings(folder)
    model = read_predictions(prediction_jobs.read_job(queried))
    model.save(tmp_path / "signals.npz", tmp_path / "references.npz")
    attacks = {name: AverageThreshold() if name == "average_threshold" else OfflineLira() for name in queried.attacks}
    _, summary = tables("mine", attacks, model, 1)
    summary.to_csv(tmp_path / "summary.csv", index=False)
    job = predictions_job(queried, tmp_path, [str(tmp_path / "references.npz")])
    audit = gather(job)
    text = page(audit)
    assert "nothing was trained here" in text
    assert "not stated</td>" in text
    assert "∞</td>" not in text
    assert "Synthetic" not in text
    assert "trained for this audit" not in text.replace("\n", " ")
    (section,) = audit.experiments["mine"].in_plain_words
    assert section.model == "mine"
    (paragraph,) = section.paragraphs
    assert paragraph.startswith("Members and non-members of the table")
    assert "one group" not in paragraph
    assert "without privacy" not in text.lower()
    for spoilt in (
        summary[summary["metric"] != "resolution"],
        summary.assign(arm="another"),
        summary[summary["attack"] == "model"],
        *(summary.drop(columns="interval"), summary.assign(high=np.inf)),
    ):
        spoilt.to_csv(tmp_path / "summary.csv", index=False)
        with pytest.raises(DataError, match=r"summary\.csv"):
            gather(job)


def test_the_most_exposed_of_predictions_only_are_rows_of_the_file_and_members(tmp_path):
    rng = np.random.default_rng(3)
    sure = np.where(np.arange(60) < 30, rng.uniform(3, 4, 60), rng.uniform(0, 1, 60))
    order = rng.permutation(60)
    rows = [f"{-float(sure[i])},{float(sure[i])},yes,{'yes' if i < 30 else 'no'}" for i in order]
    (tmp_path / "model.csv").write_text("\n".join(["z0,z1,label,member", *rows]) + "\n")
    queried = prediction_settings(tmp_path, references=[], attacks={"average_threshold": {}})
    model = read_predictions(prediction_jobs.read_job(queried))
    model.save(tmp_path / "signals.npz", tmp_path / "references.npz")
    _, summary = tables("mine", {"average_threshold": AverageThreshold()}, model, 1)
    # All pairs are ranked rightly: of no variance, but thirty records of each kind. .025 is p^30.
    auc = summary[summary["metric"] == "auc"].iloc[0]
    assert (auc["interval"], auc["low"], auc["high"]) == ("records", pytest.approx(0.025 ** (1 / 30)), 1)
    summary.to_csv(tmp_path / "summary.csv", index=False)
    audit = gather(predictions_job(queried, tmp_path, []))
    (exposed,) = audit.exposed
    # All thirty members lie above every non-member: their scores give the order. Row 1 holds the column names.
    expected = [2 + int(np.flatnonzero(order == i)[0]) for i in np.argsort(-sure[:30])[:10]]
    assert [record.row for record in exposed.records] == expected
    assert [record.rank for record in exposed.records] == list(range(1, 11))
    assert (exposed.unseen, exposed.tied) == (30, 0)
    assert "30 members lie above all" in page(audit)
