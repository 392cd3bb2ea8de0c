"""Each rule alone: its script on tiny inputs writes what the next rule reads."""

from __future__ import annotations

import hashlib
import json
import re

import numpy as np
import pandas as pd
import pytest
import torch
from files import Files

from dpmia.common.registry import load
from dpmia.datasets.dataset import Dataset
from dpmia.datasets.raw.sources import RawFile
from dpmia.evaluation.summary import UNCERTAINTY
from dpmia.formats.model_card import ModelCard
from dpmia.formats.provenance import Provenance
from dpmia.formats.rows import KEYS, MEASURED, NO_ATTACK
from dpmia.formats.signals import MEMBER, NONMEMBER, Signal, load_header, load_signals, save_signals
from dpmia.formats.tables import read_table, write_table
from dpmia.jobs.describing import ExperimentDescription
from dpmia.settings.names import SYNTHETIC
from dpmia.splits.split import Split, load_splits, save_splits
from dpmia.validation import engines_keep_epsilon
from dpmia.workflow.failures import read_failure

ARMS = {
    "left": {
        "kind": "group",
        "groups": "side",
        "draw": {"members": 20, "nonmembers": 20, "group": "left"},
        "iid": False,
    },
    "left-iid": {
        "kind": "group",
        "groups": "side",
        "draw": {"members": 20, "nonmembers": 20, "group": "left"},
        "iid": True,
    },
}


@pytest.fixture
def prepared(dataset, tmp_path):
    path = tmp_path / "toy.npz"
    dataset.save(path)
    return path


@pytest.fixture
def signals(tmp_path):
    """Two models: one knows its members perfectly, the other knows nothing."""
    part = np.repeat(np.array([MEMBER, NONMEMBER], dtype=np.uint8), 50)
    labels = np.zeros(100, dtype=np.int64)
    models = []
    for replicate, gap in enumerate((5.0, 0.0)):
        logits = np.zeros((100, 2), dtype=np.float32)
        logits[:, 0] = np.linspace(0, 1, 50).tolist() * 2
        logits[part == MEMBER, 0] += gap
        card = ModelCard("left", False, "inf", "target", [replicate], replicate, compares="replace_one")
        models.append(Signal(card, np.arange(100), labels, part, logits))
    save_signals(tmp_path / "block-0.npz", models, Provenance(synthetic=True))
    return tmp_path / "block-0.npz"


def test_fetch_raw_files_takes_the_file_from_the_mirror(run_script, tmp_path):
    content = b"a,b\n1,2\n"
    (tmp_path / "mirror/toy").mkdir(parents=True)
    (tmp_path / "mirror/toy/toy.data").write_bytes(content)
    checksum = f"sha256:{hashlib.sha256(content).hexdigest()}"
    raw = RawFile("toy", "toy.data", ("toy/toy.data",), (), checksum, 8, 1, False, "none", "none")
    target = tmp_path / "raw/toy.data"
    run_script(
        "fetch_raw_files",
        Files(str(target)),
        params={"files": [raw.__dict__]},
        resources={"data_mirror": str(tmp_path / "mirror"), "download": 1},
    )
    assert target.read_bytes() == content


def test_fetch_raw_files_reports_what_is_missing_and_writes_nothing(run_script, tmp_path):
    raw = RawFile(
        "toy", "toy.data", ("toy/toy.data",), (), "sha256:" + "0" * 64, 8, 1, False, "none", "https://example.org/toy"
    )
    target = tmp_path / "raw/toy.data"
    with pytest.raises(SystemExit):
        run_script(
            "fetch_raw_files",
            Files(str(target)),
            params={"files": [raw.__dict__]},
            resources={"data_mirror": str(tmp_path), "download": 1},
        )
    assert not list(tmp_path.rglob("*.data"))
    log = tmp_path / "fetch_raw_files.log"
    assert "Traceback" not in log.read_text()
    assert "toy.data" in read_failure("fetch_raw_files", log).message


def test_make_synthetic_and_prepare_dataset_follow_one_another(run_script, tmp_path):
    folder, target = tmp_path / "raw", tmp_path / "heart.npz"
    folder.mkdir()
    files = [str(folder / f"processed.{place}.data") for place in ("cleveland", "hungarian", "switzerland", "va")]
    run_script(
        "make_synthetic",
        Files(*files, marker=str(folder / "SYNTHETIC.txt")),
        params={"writer": SYNTHETIC["heart"], "dataset": "heart", "seed": 3, "scale": "smoke"},
    )
    run_script(
        "prepare_dataset",
        Files(str(target)),
        input=Files(*files),
        params={"job": {"module": "dpmia.datasets.published.heart", "options": {"attributes": []}}},
    )
    made = Dataset.load(target)
    assert made.x.shape == (920, 22)
    assert made.provenance.synthetic is True


def test_prepare_dataset_takes_no_file_for_real_that_is_not_the_publishers(run_script, tmp_path):
    load(SYNTHETIC["student"])("student", tmp_path, 0, "smoke")
    (tmp_path / "SYNTHETIC.txt").unlink()
    with pytest.raises(SystemExit):
        run_script(
            "prepare_dataset",
            Files(str(tmp_path / "student.npz")),
            input=Files(str(tmp_path / "student-por.csv")),
            params={"job": {"module": "dpmia.datasets.published.student", "options": {"attributes": []}}},
        )
    message = read_failure("prepare_dataset", tmp_path / "prepare_dataset.log").message
    assert re.search(r"student-por\.csv: sha256 .*published file", message)
    assert not (tmp_path / "student.npz").exists()


def test_find_clusters_names_a_group_for_every_record(run_script, prepared, tmp_path):
    target = tmp_path / "clusters.npz"
    job = {"count": 2, "pairing": "nearest", "seed": 0, "restarts": 3}
    run_script("find_clusters", Files(str(target)), input=Files(dataset=str(prepared)), params={"job": job})
    groups = np.load(target)["groups"]
    assert groups.shape == (80,)
    assert set(groups.tolist()) == {"0", "1"}


def test_draw_splits_and_measure_sizes_tell_the_same_numbers(run_script, dataset, prepared, tmp_path):
    splits, sizes = tmp_path / "splits.npz", tmp_path / "sizes.csv"
    job = {"draw": "dpmia.splits.draws:group", "arms": ARMS, "replicates": [0, 1], "batch_sizes": {"left": 20}}
    run_script(
        "draw_splits",
        Files(str(splits)),
        input=Files(dataset=str(prepared), clusters=[]),
        params={"job": job, "seed": 1},
        wildcards={"experiment": "toy"},
    )
    drawn = load_splits(splits, dataset)
    assert set(drawn) == {(arm, replicate) for arm in ARMS for replicate in (0, 1)}
    assert set(dataset.attributes["side"][drawn["left", 0].members]) == {"left"}
    run_script(
        "measure_sizes",
        Files(str(sizes)),
        input=Files(dataset=str(prepared), splits=str(splits)),
        wildcards={"experiment": "toy"},
    )
    table = read_table(sizes)
    assert table["arm"].tolist() == ["left", "left-iid"]
    assert (table[["features", "classes", "members", "nonmembers", "population"]] == [3, 2, 20, 20, 40]).all().all()


def test_splits_that_a_batch_does_not_fit_into_are_refused_with_experiment_and_arm(run_script, prepared, tmp_path):
    job = {"draw": "dpmia.splits.draws:group", "arms": ARMS, "replicates": [0], "batch_sizes": {"left": 21}}
    with pytest.raises(SystemExit) as caught:
        run_script(
            "draw_splits",
            Files(str(tmp_path / "splits.npz")),
            input=Files(dataset=str(prepared), clusters=[]),
            params={"job": job, "seed": 1},
            wildcards={"experiment": "toy"},
        )
    assert caught.value.code == 2
    assert read_failure("draw_splits", tmp_path / "draw_splits.log").message == (
        "experiment toy, training.batch_size: 21 is larger than the smallest training "
        "set of target models (20 records, arm left). Lower training.batch_size."
    )
    assert not (tmp_path / "splits.npz").exists()


@pytest.mark.parametrize("engine", ["stacked:StackedEngine", "opacus:OpacusEngine"])
def test_train_block_evaluates_every_model_on_every_record_of_its_split(
    run_script, dataset, prepared, tmp_path, engine
):
    splits, target = tmp_path / "splits.npz", tmp_path / "signals.npz"
    split = Split(np.arange(40), np.arange(40, 70), np.empty(0), np.arange(70, 80))
    save_splits(splits, {(arm, 0): split for arm in ARMS}, dataset.fingerprint)
    plain = engine if engine.startswith("stacked") else "plain:PlainEngine"
    job = {
        "arms": ARMS,
        "replicates": [0],
        "epsilons": {arm: [1.0, float("inf")] for arm in ARMS},
        "by_epoch": False,
        "models": {arm: {"build": "dpmia.models.mlp:perceptron", "shape": {"hidden": [4]}} for arm in ARMS},
        "engines": {"private": f"dpmia.training.engines.{engine}", "nonprivate": f"dpmia.training.engines.{plain}"},
        "recipes": {arm: {"optimiser": "adam", "learning_rate": 0.01, "batch_size": 10, "epochs": 2} for arm in ARMS},
        "privacy": {"relation": "replace_one", "delta": 1e-5, "accountant": "pld"},
        "population": False,
        "parameters": False,
        "collusion": None,
        "compares": "replace_one",
    }
    run_script(
        "train_block",
        Files(str(target)),
        input=Files(dataset=str(prepared), splits=str(splits)),
        params={"job": job, "seed": 1},
    )
    all_signals = list(load_signals(target))
    assert [(s.card.arm, s.card.epsilon) for s in all_signals] == [
        (arm, epsilon) for arm in ARMS for epsilon in ("1", "inf")
    ]
    for signal in all_signals:
        assert sorted(signal.records.tolist()) == list(range(80))
        assert (signal.labels == dataset.y[signal.records]).all()
        assert signal.is_member.sum() == 40
        assert signal.logits.shape == (80, 2)
        assert (signal.card.accounting is None) == (signal.card.epsilon == "inf")
    assert load_header(target)["provenance"] == {"files": [], "synthetic": True}


def test_run_attack_measures_each_model(run_script, signals, tmp_path):
    target = tmp_path / "optimal.csv"
    run_script(
        "run_attack",
        Files(str(target)),
        input=Files(targets=[str(signals)], shadows=[], references=[], distilled=[], dataset=[]),
        params={
            "job": {
                "attack": "dpmia.attacks.threshold:OptimalThreshold",
                "options": {},
                "reference_arm": None,
                "details": False,
                "epsilons": None,
            },
            "seed": 1,
        },
        wildcards={"experiment": "toy", "attack": "optimal_threshold"},
    )
    table = read_table(target)
    assert list(table.columns) == MEASURED
    advantage = table[table["metric"] == "advantage"].set_index("replicate")["value"]
    assert advantage[0] == 1.0  # every member's loss lies below every non-member's
    assert advantage[1] == 0.0  # members and non-members have the same losses


def test_measure_accuracy_needs_no_attack(run_script, signals, tmp_path):
    target = tmp_path / "accuracy.csv"
    inputs, params = Files(str(signals)), {"details": True}
    run_script("measure_accuracy", Files(str(target)), input=inputs, params=params, wildcards={"experiment": "toy"})
    table = read_table(target)
    assert set(table["attack"]) == {NO_ATTACK}
    assert set(table["metric"]) == {
        f"{what}_{part}" for what in ("accuracy", "loss") for part in ("members", "nonmembers")
    }


def test_summarise_experiment_averages_over_replicates(run_script, tmp_path):
    # Each group of records raises the value by as much in all replicates, twenty groups by -.095 to .095.
    effects = np.linspace(-0.095, 0.095, 20)
    rows = pd.DataFrame([["toy", arm, False, 1.0, "a", False, "advantage", r, v, 20, *effects]
                         for arm in ("left", "right") for r, v in enumerate((0.1, 0.2, 0.3))])  # fmt: skip
    rows.columns = MEASURED
    rows.to_csv(tmp_path / "a.csv", index=False)
    # The replicates of one arm have all records, those of the other have none in common.
    parts = {("left", r): Split([0, 1], [2, 3], [], []) for r in range(3)}
    parts |= {("right", r): Split([4 * r], [4 * r + 1], [], []) for r in range(3)}
    blocks = [str(tmp_path / f"{arm}.npz") for arm in ("left", "right")]
    for arm, path in zip(("left", "right"), blocks, strict=True):
        save_splits(path, {key: split for key, split in parts.items() if key[0] == arm}, "toy")
    files = {name: str(tmp_path / f"{name}.csv") for name in ("replicates", "summary")}
    run_script("summarise_experiment", Files(**files), input=Files(metrics=[str(tmp_path / "a.csv")], splits=blocks))
    assert read_table(files["replicates"])["value"].tolist() == [0.1, 0.2, 0.3] * 2
    table = read_table(files["summary"])
    assert list(table.columns) == [*KEYS, "mean", "low", "high", "replicates", *UNCERTAINTY]
    assert table["mean"].tolist() == pytest.approx([0.2, 0.2])
    assert table["interval"].tolist() == ["replicates and records", "replicates"]
    of_both, of_seeds = table.itertuples()
    assert of_seeds.high == pytest.approx(0.2 + 4.3027 * 0.1 / 3**0.5, abs=1e-3)  # two degrees of freedom
    assert of_both.records_error**2 == pytest.approx(19 / 20 * (effects**2).sum(), rel=1e-3)
    assert of_both.error**2 == pytest.approx(of_both.records_error**2 + 0.1**2 / 3, rel=1e-3)


def test_make_artifact_writes_a_figure_and_the_table_it_shows(run_script, tmp_path):
    made_by = {f: f"dpmia.papers.humphries.bounds:{f}" for f in ("tabulate", "draw")}
    files = {ending: str(tmp_path / f"fig.{ending}") for ending in ("pdf", "svg", "png", "md", "csv")}
    run_summary = {"synthetic": True, "scale": "smoke", "experiments": {}}
    params = {"caption": "Bounds.", **made_by, "tables": [], "run_summary": run_summary}
    run_script("make_artifact", Files(**files), params=params)
    assert (tmp_path / "fig.pdf").read_bytes().startswith(b"%PDF")
    assert (tmp_path / "fig.png").read_bytes().startswith(b"\x89PNG")
    what, how = (tmp_path / "fig.md").read_text(encoding="utf-8").strip().split("\n\n")
    assert what == "Bounds."
    assert how.startswith("Exact. Yeom et al. bound pure differential privacy")
    table = pd.read_csv(tmp_path / "fig.csv", dtype=str)
    assert table["advantage"].astype(float).between(0, 1).all()
    assert max(len(text.strip("0.").replace(".", "")) for text in table["advantage"]) == 6


def test_make_artifact_names_the_tables_that_lack_rows(run_script, tmp_path):
    made_by = {"tabulate": "dpmia.papers.humphries.sampling:tabulate", "draw": ""}
    table = tmp_path / "summary" / "student.csv"
    table.parent.mkdir()
    row = ["student", "left", False, np.inf, NO_ATTACK, False, "accuracy_members", 0.9, 0.8, 1.0, 2, "of replicates"]
    write_table(table, pd.DataFrame([row], columns=[*KEYS, "mean", "low", "high", "replicates", "interval"]))
    experiments = {"student": ExperimentDescription("student", "mlp 32", "", "", 2).plain()}
    run_summary = {"synthetic": True, "scale": "smoke", "experiments": experiments}
    with pytest.raises(SystemExit, match="2"):
        run_script(
            "make_artifact",
            Files(md=str(tmp_path / "made.md"), csv=str(tmp_path / "made.csv")),
            input=Files(str(table)),
            params={"caption": "Batches.", **made_by, "tables": ["summary/student"], "run_summary": run_summary},
        )
    message = read_failure("make_artifact", tmp_path / "make_artifact.log").message
    assert message.startswith(f"{table}: nothing can be made of what they hold (")
    assert "delete these files and start again" in message
    assert "Traceback" in (tmp_path / "make_artifact.log").read_text()
    assert not list(tmp_path.glob("made.*"))


def test_a_script_that_fails_leaves_no_output_and_a_log(run_script, prepared, tmp_path):
    target = tmp_path / "splits.npz"
    arms = {"left": ARMS["left"] | {"draw": {"members": 41, "nonmembers": 20, "group": "left"}}}
    job = {"draw": "dpmia.splits.draws:group", "arms": arms, "replicates": [0], "batch_sizes": {}}
    with pytest.raises(SystemExit, match="2"):
        run_script(
            "draw_splits",
            Files(str(target)),
            input=Files(dataset=str(prepared), clusters=[]),
            params={"job": job, "seed": 1},
        )
    assert not target.exists()
    assert "41 records are required" in read_failure("draw_splits", tmp_path / "draw_splits.log").message
    assert json.loads(json.dumps(job)) == job


@pytest.mark.parametrize("most", [lambda: torch.empty(10**16), lambda: np.empty(10**16)], ids=["torch", "numpy"])
def test_too_little_memory_is_reported_without_a_traceback(run_script, prepared, tmp_path, capsys, monkeypatch, most):
    monkeypatch.setattr("dpmia.splits.draws.group", lambda *given, **rest: most())
    job = {"draw": "dpmia.splits.draws:group", "arms": ARMS, "replicates": [0], "batch_sizes": {}}
    given = {"input": Files(dataset=str(prepared), clusters=[]), "params": {"job": job, "seed": 1}}
    with pytest.raises(SystemExit, match="2"):
        run_script("draw_splits", Files(str(tmp_path / "splits.npz")), **given)
    message = read_failure("draw_splits", tmp_path / "draw_splits.log").message
    assert message.startswith("memory: ")
    assert "llocate" in message
    assert message.endswith("Choose a smaller model, batch or block, run fewer jobs at once, or add memory.")
    assert "Traceback" not in (tmp_path / "draw_splits.log").read_text() + capsys.readouterr().err


def test_a_place_that_cannot_be_written_is_reported_without_a_traceback(run_script, prepared, tmp_path, capsys):
    target = tmp_path / "splits.npz"
    target.mkdir()
    job = {"draw": "dpmia.splits.draws:group", "arms": ARMS, "replicates": [0], "batch_sizes": {}}
    given = {"input": Files(dataset=str(prepared), clusters=[]), "params": {"job": job, "seed": 1}}
    given |= {"wildcards": {"experiment": "toy"}}
    message = f"{target}: Is a directory. Move away what stands there and start again: what is finished stays."
    with pytest.raises(SystemExit, match="Error in draw_splits: ") as caught:
        run_script("draw_splits", Files(str(target)), **given)
    log = tmp_path / "draw_splits.log"
    assert read_failure("draw_splits", log).message == message
    assert message in str(caught.value)
    assert "Traceback" not in log.read_text() + capsys.readouterr().err
    log.unlink()
    log.mkdir()
    with pytest.raises(SystemExit, match=r"draw_splits\.log: Is a directory\. Move away"):
        run_script("draw_splits", Files(str(tmp_path / "other.npz")), **given)
    assert not (tmp_path / "other.npz").exists()


def test_check_engines_compares_the_experiments_of_its_file(run_script, dataset, prepared, tmp_path):
    splits, signals = tmp_path / "splits.npz", tmp_path / "signals.npz"
    split = Split(np.arange(40), np.arange(40, 70), np.empty(0), np.arange(70, 80))
    save_splits(splits, {("left", 0): split}, dataset.fingerprint)
    engine = "dpmia.training.engines.stacked:StackedEngine"
    job = {
        "arms": {"left": ARMS["left"]},
        "replicates": [0],
        "epsilons": {"left": [1.0, float("inf"), 2.0]},
        "by_epoch": False,
        "models": {"left": {"build": "dpmia.models.mlp:perceptron", "shape": {"hidden": [4]}}},
        "engines": {"private": engine, "nonprivate": engine},
        "recipes": {"left": {"optimiser": "adam", "learning_rate": 0.01, "batch_size": 10, "epochs": 2}},
        "privacy": {"relation": "replace_one", "delta": 1e-5, "accountant": "pld"},
        "population": False,
        "parameters": False,
        "collusion": None,
        "compares": "replace_one",
    }
    given = Files(dataset=str(prepared), splits=str(splits))
    run_script("train_block", Files(str(signals)), input=given, params={"job": job, "seed": 1})
    check = {
        "engine": engine, "models": job["models"], "dataset": str(prepared), "splits": str(splits),
        "signals": [str(signals)], "work": 1e9,
    }  # fmt: skip
    run_script("check_engines", Files(str(tmp_path / "mine.csv")), params={"checks": {"one": check, "two": check}})
    table = read_table(tmp_path / "mine.csv")
    assert table["experiment"].tolist() == ["one", "one", "two", "two"]
    assert table["model"].tolist() == ["left/epsilon 1/replicate 0", "left/epsilon 2/replicate 0"] * 2
    assert {*table["verdict"]} == {"agrees"}
    assert {*table["accounting_reason"]} == {"relation replace-one: Opacus accounts for add-remove only"}


@pytest.mark.slow  # trains with every engine
def test_try_engines_tries_every_trial_with_the_seed_of_the_run(run_script, tmp_path, monkeypatch):
    monkeypatch.setattr(engines_keep_epsilon, "TRIALS", engines_keep_epsilon.TRIALS[2:3])
    engines = {"stacked": "dpmia.training.engines.stacked:StackedEngine"}
    run_script("try_engines", Files(str(tmp_path / "engines.csv")), params={"engines": engines, "seed": 1})
    table = read_table(tmp_path / "engines.csv")
    assert table[["engine", "epsilon", "verdict"]].to_numpy().tolist() == [["stacked", 9, "not refuted"]]
    pd.testing.assert_frame_equal(table, engines_keep_epsilon.run(engines, 1), check_dtype=False)
