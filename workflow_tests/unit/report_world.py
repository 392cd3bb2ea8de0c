"""A folder as a run leaves it, small and made by hand, and pages that are read as a browser reads them."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
from model_cards import card
from PIL import Image

from dpmia.claims.judge import COLUMNS
from dpmia.datasets.dataset import Dataset
from dpmia.formats.provenance import Provenance, SourceFile
from dpmia.formats.signals import Signal, save_signals
from dpmia.papers import captions
from dpmia.privacy.record import Accounting
from dpmia.report.reported_run import ReportedRun
from dpmia.workflow.forecast_file import remember

ACCOUNTING = Accounting(
    sampler="poisson", rate=0.25, steps=40, epochs=10, relation="replace_one", delta=1e-5, accountant="pld",
    epsilon=1.0, noise_multiplier=2.5, clip_norm=1.0, noise_sd=2.5, proved=True,
)  # fmt: skip


def signal(epsilon, replicate=0):
    """Return what is kept of a model that took 40 steps; private for an epsilon of 1."""
    accounting = ACCOUNTING if epsilon == "1" else None
    model_card = card(
        arm="gp", epsilon=epsilon, replicate=replicate, engine="StackedEngine", steps=40, accounting=accounting
    )
    one = np.zeros(1, dtype=np.int64)
    return Signal(model_card, one, one, one.astype(np.uint8), np.zeros((1, 2), dtype=np.float32))


def verdict(paper, artifact, name, word, **more):
    """Return a row of verdicts."""
    given = {
        "paper": paper, "artifact": artifact, "id": f"{paper}-{name}", "kind": "experiment",
        "ours": False, "statement": f"Says {name}.",
        "criterion": "a number > 0 & < 1", "paper_value": "about 1",
        "expected": "by formula 1.02", "verdict": word, "measured": 0.5, "low": 0.4,
        "high": 0.6, "interval": "one-sided 95 % limits", "note": "",
        "power": "0.45 with 4 replicates, 0.8 from 10 on (effect as measured)",
    }  # fmt: skip
    return given | more


VERDICTS = [
    verdict("humphries", "humphries_fig7", "fig7-order", "reproduced"),
    verdict(
        "humphries", "humphries_fig8", "fig8-acc", "not run", measured=np.nan, low=np.nan, high=np.nan, interval=""
    ),
    verdict("izzo", "izzo_theory", "thm4", "undecided", ours=True, kind="theory", note="worst of <2>"),
    verdict("izzo", "izzo_theory", "thm7", "not reproduced", kind="theory"),
]


def tables_of(run: Path) -> list[Path]:
    """Return the tables behind the figures of a run, by its folder."""
    return [run / "replicates/student.csv"]


def make_run(folder: Path) -> tuple[ReportedRun, pd.DataFrame]:
    """Make a run on real data of two figures, one of which cannot be made, and a table; return it with its verdicts."""
    run = folder / "results/real-laptop"
    artifacts = {
        "humphries_fig7": {
            end: f"{run}/figures/humphries/humphries_fig7.{end}" for end in ("pdf", "svg", "png", "md", "csv")
        },
        "humphries_fig8": {
            end: f"{run}/figures/humphries/humphries_fig8.{end}" for end in ("pdf", "svg", "png", "md", "csv")
        },
        "izzo_theory": {end: f"{run}/tables/izzo/izzo_theory.{end}" for end in ("csv", "md")},
    }
    for name in ("figures/humphries", "tables/izzo"):
        (run / name).mkdir(parents=True)
    pixels = np.random.default_rng(0).integers(0, 255, (60, 160, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(artifacts["humphries_fig7"]["png"])
    Path(artifacts["humphries_fig7"]["pdf"]).write_bytes(b"%PDF-1.4 a picture")
    Path(artifacts["humphries_fig7"]["svg"]).write_text("<svg/>")
    caption = captions.markdown("Students.", ["How to <read> it.", "Real data, scale laptop; 4 / 50 replicates."])
    Path(artifacts["humphries_fig7"]["md"]).write_text(caption, encoding="utf-8")
    Path(artifacts["humphries_fig7"]["csv"]).write_text("epsilon,mean\n" + "1,0.5\n" * 100)
    Path(artifacts["izzo_theory"]["csv"]).write_text(
        'statement,bound\nnothing,\n"a < b, c",12\nmany,"1,234"\nmost,1e-3\n'
    )
    Path(artifacts["izzo_theory"]["md"]).write_text("| a |\n")
    for ending in ("csv", "md", "pdf"):
        (run / f"claims.{ending}").write_text("claims")
    (run / "replicates").mkdir()
    tables_of(run)[0].write_text("epsilon,advantage\n" + "1,0.5\n" * 100)
    signals = run / "signals/student/1_inf/block-0.npz"
    signals.parent.mkdir(parents=True)
    origin = Provenance([SourceFile("student-por.csv", "ab" * 32, 93220, 649)])
    save_signals(signals, [signal("1"), signal("1", 1), signal("inf")], Provenance())
    logs = folder / "logs/real-laptop"
    for name in ("train_block/student/1_inf/block-0", "train_block/student/1_inf/block-1", "judge_claims"):
        log = logs / f"{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("start-up 2.000 s, work 4.000 s, wall 5.000 s, memory 200 MB\n")
        remember({f"{name}.log": 7.0}, logs)
    prepared = folder / "student.npz"
    empty = np.zeros((1, 1), dtype=np.float32)
    Dataset("student", empty, np.zeros(1, dtype=np.int64), ("a",), ("no", "yes"), {}, origin).save(prepared)
    reported = ReportedRun(
        folder=run,
        logs=logs,
        config={"data": "real", "scale": "laptop", "seed": 1, "experiments": ["experiments/*.yaml"]},
        defaults={"data": "synthetic", "scale": "laptop", "seed": 1, "experiments": ["experiments/*.yaml"]},
        artifacts=artifacts,
        models={"student": [str(signals), f"{run}/signals/student/1_inf/block-1.npz"]},
        prepared={str(prepared): "student", str(folder / "absent.npz"): "adult"},
        not_run={"texas": "Texas_2006_PUDF.txt has to be downloaded by hand"},
        settings={
            "student": {
                "dataset": "student",
                "training": {"engine": "stacked", "epochs": 20},
                "epsilons": [[1.0, float("inf")]],
            }
        },
        paper_settings={
            "student": {
                "dataset": "student",
                "training": {"engine": "stacked", "epochs": 100},
                "epsilons": [[0.01], [1.0, float("inf")]],
            }
        },
    )
    return reported, pd.DataFrame(VERDICTS)[COLUMNS]


class Page(HTMLParser):
    """A page taken apart.

    Attributes:
        ids: of all elements.
        links: attributes of all elements `a`.
        images: attributes of all elements `img`.
        headings: their levels, in order.
        titles: their texts.
        tags: all elements with their attributes.
        text: all words outside of styles and scripts, separated by single spaces.
        open: elements that were not closed.
    """

    VOID = ("meta", "link", "img", "input", "br", "wbr")

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids, self.links, self.images, self.headings, self.tags, self.open = [], [], [], [], [], []
        self.titles: list[str] = []
        self.mistakes, self._words = [], []
        self.feed(html)
        self.close()
        self.text = " ".join(" ".join(self._words).split())

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append((tag, given))
        if tag not in self.VOID:
            self.open.append(tag)
        if "id" in given:
            self.ids.append(given["id"])
        if tag == "a":
            self.links.append(given)
        if tag == "img":
            self.images.append(given)
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append(int(tag[1]))
            self.titles.append("")

    def handle_endtag(self, tag):
        last = self.open.pop() if self.open else None
        if last != tag:
            self.mistakes.append(f"</{tag}> at line {self.getpos()[0]} closes <{last}>")

    def handle_data(self, data):
        if any(tag in self.open for tag in ("h1", "h2", "h3", "h4")):
            self.titles[-1] = " ".join(f"{self.titles[-1]} {data}".split())
        if not self.open or self.open[-1] not in ("style", "script"):
            self._words.append(data)
