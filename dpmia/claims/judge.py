"""Verdicts on claims, from the tables of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd

from dpmia.claims.claim import EXPERIMENT, KINDS, Claim, Finding
from dpmia.claims.decisions import Condition, Every, Undecidable
from dpmia.claims.limits import ERROR, ERROR_OF_LOOK, LIKELY, WITHOUT_LIMIT
from dpmia.claims.more_replicates import decided_shares, rests_on_replicates
from dpmia.claims.power import assess, describe, describe_detectable
from dpmia.common.epsilon import format_epsilon
from dpmia.common.reading.source import made
from dpmia.formats.looks import TIMES
from dpmia.formats.rows import MissingRowsError
from dpmia.formats.table_names import experiment_of, stage_of
from dpmia.formats.tables import read_table
from dpmia.jobs.judging import JudgeJob

REPRODUCED, NOT_REPRODUCED, UNDECIDED = "reproduced", "not reproduced", "undecided"
#: Undecided, and likely to stay so however many replicates there are: those share too few records.
TOO_FEW_RECORDS = "too few records"
#: Reproduced, but by random scores and equal accuracies, too: no evidence about attacks.
MET_AT_RANDOM = "met by random scores"
#: Not reproduced, on networks that are not those of the paper: the paper's may do otherwise.
OTHER_NETWORK = "other network"
#: Measured, but the paper's settings are not known: neither outcome would decide.
SETTINGS_LOST = "settings lost"
NOT_RUN, SYNTHETIC = "not run", "synthetic data"
#: Verdicts that rest on measured numbers.
JUDGED = (REPRODUCED, NOT_REPRODUCED, UNDECIDED, TOO_FEW_RECORDS, MET_AT_RANDOM, OTHER_NETWORK)
#: Those of them that are an answer; those that these data could give, with more replicates or another network.
DECIDED = (REPRODUCED, NOT_REPRODUCED, MET_AT_RANDOM)
DECIDABLE = (*DECIDED, UNDECIDED, OTHER_NETWORK)
VERDICTS = (*JUDGED, SETTINGS_LOST, NOT_RUN, SYNTHETIC)

COLUMNS = [
    *("paper", "artifact", "id", "kind", "ours", "statement", "criterion", "paper_value", "expected"),
    *("verdict", "measured", "low", "high", "interval", "note", "power"),
]

_HOLDS = {True: REPRODUCED, False: NOT_REPRODUCED, None: UNDECIDED}
_NOTHING = Finding(float("nan"), float("nan"), float("nan"), None)


@dataclass(frozen=True)
class JudgedRun(JudgeJob):
    """A run with its tables."""

    _read: dict[Path, pd.DataFrame] = field(default_factory=dict, repr=False, compare=False)

    @property
    def source(self) -> str:
        """What data, and at which scale, for readers."""
        data = "Synthetic data: claims about data are not judged" if self.synthetic else "Real data"
        return f"{data}. Scale {self.scale}."

    @property
    def error(self) -> float:
        """How often either verdict may be wrong."""
        return ERROR if self.times is None else ERROR_OF_LOOK

    def times_of(self, names: Iterable[str]) -> int:
        """Return how many times the planned replicates, or splits, some experiments and studies have."""
        return max(((self.times or {}).get(name, 1) for name in names), default=1)

    def look(self, tables: Iterable[str]) -> str:
        """Return which look this is, by some tables; nothing where there is only one."""
        if self.times is None:
            return ""
        times = self.times_of(experiment_of(table) for table in tables)
        return f"look {TIMES.index(times) + 1} of at most {len(TIMES)}"

    def tables(self, names: Iterable[str]) -> dict[str, pd.DataFrame]:
        """Return those of the tables that are there; each is read once, as many claims share it."""
        paths = {name: self.folder / f"{name}.csv" for name in names}
        if self.only is not None:
            paths = {name: path for name, path in paths.items() if str(path) in self.only}
        return {name: self._table(path) for name, path in paths.items() if path.exists() or path.is_symlink()}

    def _table(self, path: Path) -> pd.DataFrame:
        if path not in self._read:
            self._read[path] = read_table(path)
        return self._read[path]

    def networks_of_the_paper(self, names: Iterable[str]) -> str:
        """Return the networks at scale `paper` of the experiments behind some tables whose networks are others here."""
        others = [self.other_networks.get(experiment_of(name), "") for name in names]
        return "; ".join(dict.fromkeys(filter(None, others)))

    def models(self, names: Iterable[str]) -> str:
        """Return which target models stand behind some tables, each once; nothing where there are none."""
        trained = [self.trained.get(experiment_of(name), "") for name in names]
        return "; ".join(dict.fromkeys(filter(None, trained)))

    def without(self, names: Iterable[str]) -> str:
        """Return which tables are missing, with the reason where it is known; those of one reason stand together."""
        missing: dict[str, list[str]] = {}
        for name in names:
            missing.setdefault(self.not_run.get(experiment_of(name), ""), []).append(name)
        return ", ".join(", ".join(tables) + (f" ({reason})" if reason else "") for reason, tables in missing.items())


def judge(claim: Claim, run: JudgedRun) -> tuple[str, Finding]:
    """Return the verdict on one claim, and what it rests on.

    A claim about data is never judged on synthetic data, nor at the scale `smoke`, which trains next to nothing. Where
    a table is missing, a claim about each of several data sets is judged on the others, and the note names it.
    """
    if claim.about_data and run.synthetic:
        return SYNTHETIC, _noted("synthetic records say nothing about it; run with data=real")
    if claim.about_data and run.scale == "smoke":
        return NOT_RUN, _noted("the scale smoke trains too little; run with scale=laptop or scale=paper")
    tables = run.tables(claim.tables)
    missing = [name for name in claim.tables if name not in tables]
    if missing and not (claim.some_suffice and tables):
        return NOT_RUN, _noted(f"without {run.without(missing)}")
    try:
        finding = claim.judge(tables, run.error)
    except MissingRowsError as error:
        return NOT_RUN, _noted(f"{error} at scale {run.scale}")
    if finding.has_limits:
        over = "over splits of these records" if {stage_of(name) for name in claim.tables} == {"studies"} else ""
        finding = replace(finding, interval=", ".join(filter(None, [finding.interval, over, run.look(claim.tables)])))
    if missing:
        finding = _noted(f"judged without {run.without(missing)}", finding)
    if absent := _epsilons_not_run(claim.conditions, tables):
        finding = _noted(f"judged without {absent}", finding)
    if finding.holds is False and lacks_cases(claim, run):
        finding = _noted("what was not run may meet it", replace(finding, holds=None))
    if models := run.models(tables):
        finding = _noted(f"trained: {models}", finding)
    if isinstance(claim.rule, Undecidable):
        return SETTINGS_LOST, finding
    networks = run.networks_of_the_paper(tables)
    if finding.holds is False and networks:
        if _refuted_by_the_papers_networks(claim, tables, run):
            return NOT_REPRODUCED, _noted("not by the networks of scale paper alone, either", finding)
        return OTHER_NETWORK, _noted(f"not reproduced, but scale paper trains: {networks}", finding)
    if finding.holds and networks:
        finding = _noted(f"with other networks; scale paper trains: {networks}", finding)
    return _HOLDS[finding.holds], finding


def lacks_cases(claim: Claim, run: JudgedRun) -> bool:
    """Return whether a claim fails only if all cases do, and some were not run: what was run can only show it."""
    tables = run.tables(claim.tables)
    by_case = [condition for condition in claim.conditions if not condition.mean_over_epsilons]
    return claim.rule.fails_in_all_cases and bool(len(tables) < len(claim.tables) or _epsilons_not_run(by_case, tables))


def tables_of_its_networks(claim: Claim, tables: Mapping[str, pd.DataFrame], run: JudgedRun) -> dict[str, pd.DataFrame]:
    """Return the tables of the paper's networks, if means of these alone can refute a claim; else none."""
    if not (claim.some_suffice and isinstance(claim.rule, Every)):
        return {}
    return {name: table for name, table in tables.items() if not run.networks_of_the_paper([name])}


def _refuted_by_the_papers_networks(claim: Claim, tables: Mapping[str, pd.DataFrame], run: JudgedRun) -> bool:
    """Return whether a claim about every one of some means falls by those of the paper's networks alone."""
    own = tables_of_its_networks(claim, tables, run)
    try:
        return bool(own) and claim.judge(own, run.error).holds is False
    except MissingRowsError:
        return False


def _epsilons_not_run(conditions: Sequence[Condition], tables: Mapping[str, pd.DataFrame]) -> str:
    """Return which planned epsilons of a claim's conditions none of its attacks was run at, for each table.

    Conditions that name no attack have them where any row of the table does.
    """
    planned = sorted({epsilon for condition in conditions for epsilon in condition.epsilons.planned})
    attacks = {attack for condition in conditions for attack in condition.epsilons.attacks}
    absent: dict[str, list[str]] = {}
    for name, table in tables.items() if planned else ():
        run = set(table["epsilon"][table["attack"].isin(attacks)] if attacks else table["epsilon"])
        if lost := [format_epsilon(epsilon) for epsilon in planned if epsilon not in run]:
            absent.setdefault(", ".join(lost), []).append(experiment_of(name))
    return "; ".join(f"ε = {lost} of {', '.join(names)}" for lost, names in absent.items())


def judge_all(claims: Mapping[str, Iterable[Claim]], run: JudgedRun) -> pd.DataFrame:
    """Return the verdicts on the claims of all papers; what power says about a verdict is a part of it.

    A claim that random scores meet is no longer "reproduced", and one that more replicates would hardly decide no
    longer "undecided".

    Args:
        claims: paper -> its claims.
        run: the run.

    Returns:
        One row for each claim, in the order given, with the columns `COLUMNS`; `paper_value`, `expected`, `interval`,
        `note` and `power` (`dpmia.claims.power.describe`) are texts, empty where there is nothing to say; measured, low
        and high are NaN where nothing was measured.
    """
    judged = {claim.id: judge(claim, run) for of_paper in claims.values() for claim in of_paper}
    power_table = _power(
        [claim for of_paper in claims.values() for claim in of_paper if judged[claim.id][0] in JUDGED], run
    )
    rows = []
    for paper, of_paper in claims.items():
        for claim in of_paper:
            verdict, finding = judged[claim.id]
            if verdict == REPRODUCED and claim.id in power_table.index and power_table.loc[claim.id, "met_at_random"]:
                verdict, finding = MET_AT_RANDOM, _noted("random scores and equal accuracies give it, too", finding)
            if verdict == UNDECIDED and not lacks_cases(claim, run) and _takes_more_records(claim, run):
                verdict, finding = (
                    TOO_FEW_RECORDS,
                    _noted("more replicates of the same records hardly decide it", finding),
                )
            prefix = [paper, claim.artifact, claim.id, claim.kind, claim.ours, claim.statement]
            prefix += [claim.criterion, claim.paper_value, claim.expected]
            powers = [describe(power_table.loc[claim.id])] if claim.id in power_table.index else []
            power = "; ".join(filter(None, [*powers, describe_detectable(finding.detectable)]))
            rows.append(
                [*prefix, verdict, finding.measured, finding.low, finding.high, finding.interval, finding.note, power]
            )
    return pd.DataFrame(rows, columns=COLUMNS)


def _takes_more_records(claim: Claim, run: JudgedRun) -> bool:
    """Return whether replicates without limit would hardly decide an undecided claim on an experiment."""
    tables = run.tables(claim.tables)
    if not rests_on_replicates(claim, tables):
        return False
    return decided_shares(claim, tables, [WITHOUT_LIMIT], run.error)[WITHOUT_LIMIT] < LIKELY


def _power(judged: Sequence[Claim], run: JudgedRun) -> pd.DataFrame:
    """Return the power of those of the judged claims that rest on experiments, by id."""
    claims = [claim for claim in judged if claim.kind == EXPERIMENT]
    if not claims:
        return pd.DataFrame()
    tables = run.tables({table for claim in claims for table in claim.tables})
    return assess(claims, tables, run.error).set_index("id")


def read_verdicts(path: Path | str) -> pd.DataFrame:
    """Return the verdicts in a file, as `judge_all` returned them.

    Raises:
        DataError: it holds something else.
    """
    table, source = read_table(path, COLUMNS), made(path)
    unknown = [*table.loc[~table["verdict"].isin(VERDICTS), "verdict"], *table.loc[~table["kind"].isin(KINDS), "kind"]]
    if unknown:
        raise source.error(f"{unknown[0]!r} is no verdict and no kind of claim")
    if table[["paper", "artifact", "id", "statement", "criterion"]].isna().any(axis=None):
        raise source.error("a claim has no paper, figure, id, statement or criterion")
    if len(table) and table["ours"].dtype != bool:
        raise source.error("a cell is neither True nor False", ", column 'ours'")
    texts = ("paper_value", "expected", "interval", "note", "power")
    with source.faults("it holds no verdicts"):
        # A column without any text is read as one of missing numbers.
        table = table.astype(dict.fromkeys(texts, str)).fillna(dict.fromkeys(texts, ""))
        return table.astype(dict.fromkeys(("measured", "low", "high"), float))


def decided(verdicts: pd.DataFrame) -> str:
    """Return how many of the claims that the data can decide are decided, by kind: `theory 8 of 8, count 3 of 4`.

    Left out are claims that were not run, that take more records than there are, or whose settings are lost.
    """
    can = verdicts[verdicts["verdict"].isin(DECIDABLE)]
    of_kinds = ((kind, can.loc[can["kind"] == kind, "verdict"].isin(DECIDED)) for kind in KINDS)
    return ", ".join(f"{kind} {mask.sum()} of {len(mask)}" for kind, mask in of_kinds if len(mask))


def counts(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return how many claims of each kind and paper have each verdict.

    Theory and experiments are never added up: a formula that comes out right says nothing about data.

    Returns:
        A row for each kind and paper that there is, and for each kind (paper `all`); a column for each verdict.
    """
    both = pd.concat([verdicts, verdicts.assign(paper="all")])
    table = pd.crosstab([both["kind"], both["paper"]], both["verdict"])
    papers = [*verdicts["paper"].unique(), "all"]
    rows = [(kind, paper) for kind in KINDS for paper in papers if (kind, paper) in table.index]
    index = pd.MultiIndex.from_tuples(rows, names=["kind", "paper"])
    return table.reindex(index=index, columns=list(VERDICTS), fill_value=0)


def _noted(note: str, finding: Finding = _NOTHING) -> Finding:
    notes = "; ".join(filter(None, (finding.note, note)))
    return replace(finding, note=notes)
