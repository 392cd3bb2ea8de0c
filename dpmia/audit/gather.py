"""From the files of a run to what an audit found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpmia import __version__
from dpmia.audit import advice, findings
from dpmia.audit.limits import held_to
from dpmia.audit.plain import plain_words
from dpmia.audit.scores import Scores, collect_scores, roc_curve
from dpmia.claims.limits import ERROR, ERROR_OF_LOOK
from dpmia.common.epsilon import spell_epsilon
from dpmia.common.reading.source import made
from dpmia.common.seeds import derive_seed
from dpmia.datasets.own.table import describe
from dpmia.datasets.table import Dataset
from dpmia.evaluation.summary import LIMITS, UNCERTAINTY
from dpmia.formats.rows import BLIND_WITH_LOSS, NO_ATTACK
from dpmia.formats.signals import load_header
from dpmia.formats.tables import read_table
from dpmia.jobs.attacking import AuditedAttack
from dpmia.privacy.planner import plan
from dpmia.splits.sizes import arm_sizes
from dpmia.splits.split import load_splits

#: Sampling rates that are planned for, as shares of the bound.
PLANNED_SHARES = (0.2, 0.5, 0.8)


def gather(parts: Mapping[str, Mapping[str, Any]], run: Mapping[str, Any], audit: Mapping[str, Any]) -> dict[str, Any]:
    """Return the content of `audit-<file>.json`.

    Args:
        parts: by experiment: `facts`, `groups` (arm -> group), `attacks` (plain data of `AuditedAttack`, with `files`
            of reference models), and the files `summary`, `signals`, `dataset` and `splits`; of the last two none where
            there are predictions only.
        run: data, scale, seed.
        audit: `fail_above`, `epsilons`, `looks` (whether replicates were added after one), and `plan`: bound,
            acceptance and relation.
    """
    datasets = {part["dataset"]: Dataset.load(part["dataset"]) for part in parts.values() if part["dataset"]}
    results, accuracy, exposed, curves = [], [], [], []
    experiments: dict[str, Any] = {}
    for name, part in parts.items():
        summary = read_table(part["summary"], [*LIMITS, "replicates", *UNCERTAINTY])
        attacks = {name: AuditedAttack.from_plain(attack) for name, attack in part["attacks"].items()}
        scores = collect_scores(attacks, part["signals"], run["seed"])
        _check_rows(summary, scores, part["summary"])
        entries = findings.results(summary, part["facts"], part["groups"])
        entries = [entry | _counts(scores, entry) for entry in entries]
        majority = {model: float(np.mean(shares)) for model, shares in scores.majority.items()}
        accurate = findings.accuracy(summary, majority, part["groups"])
        dataset = datasets.get(part["dataset"])
        results += entries
        accuracy += accurate
        curves += _curves(scores, entries)
        exposed += _exposed(name, scores, entries, dataset, run["seed"])
        experiments[name] = {
            "facts": part["facts"],
            "sizes": _sizes(part, dataset),
            "how": _how(part),
            "plain": plain_words(entries, name, part["facts"]),
            "verdicts": advice.verdicts(entries, name, part["facts"]),
            "remedies": advice.remedies(entries, accurate, name, part["facts"]),
            "untested": advice.untested(entries, name, part["facts"]),
        }
    origins = _origins(parts, datasets)
    planned, rows = _planned(parts, datasets, audit["plan"])
    return {
        "format": findings.FORMAT,
        "version": findings.VERSION,
        "run": {**run, "synthetic": any(origin["synthetic"] for origin in origins), "version": __version__},
        "data": origins,
        "experiments": experiments,
        "results": results,
        "accuracy": accuracy,
        "roc": curves,
        "groups": findings.group_risks(results, {name: part["groups"] for name, part in parts.items()}),
        "too_small": _too_small(parts, datasets),
        "exposed": exposed,
        "limits": held_to(results, audit["fail_above"], audit["epsilons"], ERROR_OF_LOOK if audit["looks"] else ERROR),
        "planned": planned,
        "plan": rows,
    }


def _check_rows(summary: pd.DataFrame, scores: Scores, path: str) -> None:
    """Refuse a summary that lacks rows, has some of models that are not there, or has infinite numbers.

    Raises:
        DataError: it is such a summary.
    """
    infinite = np.isinf(summary[[*LIMITS, *UNCERTAINTY]].select_dtypes("number")).any(axis=1)
    if infinite.any():
        raise made(path).error("a number is infinite", f", line {int(np.argmax(infinite)) + 2}")
    attacked = summary[~summary["attack"].isin([NO_ATTACK, BLIND_WITH_LOSS])]
    for (arm, _, epsilon, attack), rows in attacked.groupby(["arm", "iid", "epsilon", "attack"]):
        where = f", {attack} on {arm}, epsilon {spell_epsilon(epsilon)}"
        if (arm, spell_epsilon(epsilon)) not in scores.members:
            raise made(path).error("there are no such models", where)
        if not {"auc", "resolution"} <= {*rows["metric"]}:
            raise made(path).error("rows are missing", where)
    if not len(attacked):
        raise made(path).error("it has no attack")


def _counts(scores: Scores, entry: Mapping[str, Any]) -> dict[str, int]:
    """Return the members and non-members of one model of an entry: of the smallest, where models differ."""
    model = entry["arm"], entry["epsilon"]
    return {"members": min(scores.members[model]), "nonmembers": min(scores.nonmembers[model])}


def _curves(scores: Scores, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the ROC curve of every attack that is no oracle and no control, for each arm and epsilon."""
    return [
        {key: entry[key] for key in ("experiment", "arm", "label", "iid", "epsilon", "attack", "nonmembers")}
        | {"models": len(models)}
        | roc_curve(models, *(counts[entry["arm"], entry["epsilon"]] for counts in (scores.members, scores.nonmembers)))
        for entry in findings.attacks_of(entries)
        if (models := scores.roc.get((entry["arm"], entry["epsilon"], entry["attack"])))
    ]


def _exposed(
    name: str, scores: Scores, entries: list[dict[str, Any]], dataset: Dataset | None, seed: int
) -> list[dict[str, Any]]:
    """Return the most exposed records of each arm, for the largest epsilon, by the strongest attack run again here."""
    largest = max((entry["epsilon"] for entry in entries), key=float)
    again = [entry for entry in entries if (entry["arm"], largest, entry["attack"]) in scores.exposure]
    rng = np.random.default_rng(derive_seed(seed, "exposed", name))
    rows = []
    for arm in dict.fromkeys(entry["arm"] for entry in entries):
        strongest = findings.best(again, arm=arm, epsilon=largest)
        if strongest is None:
            continue
        exposure = scores.exposure[arm, largest, strongest["attack"]]
        most = exposure.most()
        rows.append(
            {key: strongest[key] for key in ("experiment", "arm", "label", "iid", "epsilon", "attack")}
            | {"records": [_row_of_file(record, dataset) for record in most.records]}
            | {"tied": most.tied, "unseen": most.unseen, "nonmembers": exposure.nonmembers}
            | {"stability": exposure.stable(rng)}
        )
    return rows


def _row_of_file(exposed: dict[str, Any], dataset: Dataset | None) -> dict[str, Any]:
    """Return an exposed record with its row of the user's file and its group, where they are known.

    Of predictions only, records are rows of the file (see `dpmia.evaluation.predictions`).
    """
    record = exposed["record"]
    by = dataset.provenance.get("own", {}).get("by") if dataset else None
    return {
        "row": int(dataset.rows[record]) if dataset is not None and dataset.rows is not None else record,
        "group": str(dataset.attributes[by][record]) if dataset and by else None,
        **{key: exposed[key] for key in ("rank", "above", "score", "models")},
    }


def _sizes(part: Mapping[str, Any], dataset: Dataset | None) -> dict[str, dict[str, int | list[int]]]:
    """Return the sizes of each arm; where they are random, the smallest and the largest over the replicates."""
    if dataset is None:
        return {}
    splits = {key: split for file in part["splits"] for key, split in load_splits(file, dataset).items()}
    return {
        arm: {
            kind: sizes[kind][0] if len(set(sizes[kind])) == 1 else [min(sizes[kind]), max(sizes[kind])]
            for kind in ("members", "nonmembers", "population")
        }
        for arm, sizes in arm_sizes(splits).items()
    }


def _how(part: Mapping[str, Any]) -> str:
    """Return how the models of an experiment were trained, in a few sentences."""
    facts = part["facts"]
    if part["dataset"] is None:
        return "Predictions of one model: nothing was trained here."
    trained = f"{facts['passes']}, {facts['optimiser']}" if facts["epochs"] else "fitted by scikit-learn"
    if facts.get("program"):
        trained = f"trained by the command {facts['program']!r} of the user, which dpmia runs and does not check"
    sentences = [
        f"Model: {facts['architecture']}; {trained}; {facts['replicates']} replicates, each with members of its own."
    ]
    if facts.get("references"):
        sentences.append(
            f"The attacker trains {facts['references']} reference models for each arm (its IID arm, where it has one), "
            f"{'with the same epsilon' if facts['private_references'] else 'without privacy'}, on further draws of the "
            "same sizes: each record that can be drawn was in the training set of some of them and not of others."
        )
    if facts.get("offline_a"):
        sentences.append(f"Offline RMIA takes offline_a = {facts['offline_a']}.")
    return " ".join(sentences)


def _origins(parts: Mapping[str, Mapping[str, Any]], datasets: Mapping[str, Dataset]) -> list[dict[str, Any]]:
    origins = []
    for path, data in datasets.items():
        with made(path).faults("its provenance is damaged", ", header"):
            origins.append({"name": data.name, "description": describe(data.provenance), **_facts(data.provenance)})
    for name, part in parts.items():
        if part["dataset"] is None:
            path = part["signals"][0]
            with made(path).faults("its header does not say which file it was read from"):
                facts = _facts(load_header(path)["provenance"])
            origins.append({"name": name, "description": ["Predictions of one model."], **facts})
    return origins


def _facts(provenance: Mapping[str, Any]) -> dict[str, Any]:
    own = provenance.get("own", {})
    kept = {key: own[key] for key in ("columns", "groups", "classes", "records", "by", "warnings") if key in own}
    files = [{key: file[key] for key in ("name", "sha256", "rows")} for file in provenance["files"]]
    return {"files": files, "synthetic": bool(provenance["synthetic"]), **kept}


def _too_small(parts: Mapping[str, Mapping[str, Any]], datasets: Mapping[str, Dataset]) -> list[str]:
    """Return the groups of one's own files that are members of no arm of any experiment."""
    with_arm = {group for part in parts.values() for group in part["groups"].values()}
    groups = [data.provenance.get("own", {}).get("groups", {}) for data in datasets.values()]
    return sorted(
        {f"{group} ({count})" for counts in groups for group, count in counts.items() if group not in with_arm}
    )


def _planned(
    parts: Mapping[str, Mapping[str, Any]], datasets: Mapping[str, Dataset], wanted: Mapping[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the inputs of the planner, and its rows: settings of the first arm that takes steps of ours."""
    for part in parts.values():
        facts = part["facts"]
        # A delta that is not below the share of members that attacks must find bounds no precision.
        if part["dataset"] is not None and facts["epochs"] and facts["delta"] < wanted["acceptance"]:
            first = next(iter(facts["arms"].values()))
            inputs = {
                "bound": wanted["bound"],
                "records": len(datasets[part["dataset"]]),
                "batch_size": first["batch_size"],
                "epochs": first["epochs"],
                "delta": facts["delta"],
                "acceptance": wanted["acceptance"],
            }
            rates = [share * wanted["bound"] for share in PLANNED_SHARES]
            table = plan(**inputs, relation=wanted["relation"], rates=rates)
            return inputs, table.astype(object).where(table.notna(), None).to_dict("records")
    return {}, []
