"""Authors, titles and topics of the papers, for pages that list them all. Light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One paper.

    Attributes:
        key: of its BibTeX entry.
        authors: as printed, with initials.
        title: of the paper.
        venue: journal or conference.
        year: of publication.
        journal: whether the venue is a journal.
        question: its question and its answer, in two sentences.
        picture: the figure that stands for it.
    """

    key: str
    authors: tuple[str, ...]
    title: str
    venue: str
    year: int
    question: str
    picture: str
    journal: bool = False

    @property
    def first(self) -> str:
        """First author, as in `Humphries et al.`."""
        return f"{self.authors[0].rpartition('. ')[2]} et al."

    @property
    def short(self) -> str:
        """First author and year."""
        return f"{self.first} {self.year}"

    @property
    def citation(self) -> str:
        """Authors, title, where it was published."""
        return f"{', '.join(self.authors)}. {self.title}. {self.venue}, {self.year}."

    @property
    def bibtex(self) -> str:
        """A BibTeX entry, with the title's capitals kept."""
        kind, where = ("article", "journal") if self.journal else ("inproceedings", "booktitle")
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            where: self.venue,
            "year": str(self.year),
        }
        lines = "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items())
        return f"@{kind}{{{self.key}{lines}\n}}"


_TMLR = "Transactions on Machine Learning Research"
_CSF = "IEEE Computer Security Foundations Symposium (CSF)"

BIBLIOGRAPHY = {
    "humphries": Paper(
        key="humphries2023investigating",
        picture="humphries_fig2",
        authors=(
            *("T. Humphries", "S. Oya", "L. Tulloch", "M. Rafuse", "I. Goldberg", "U. Hengartner"),
            "F. Kerschbaum",
        ),
        title="Investigating Membership Inference Attacks under Data Dependencies",
        venue=_CSF,
        year=2023,
        question="Does differential privacy still bound membership inference when the records of a training set depend "
        "on each other, as those of one hospital or one school do? The paper proves a bound for independent "
        "records and shows attacks that exceed it under distribution shift.",
    ),
    "izzo": Paper(
        key="izzo2024provable",
        picture="izzo_fig2",
        authors=("Z. Izzo", "J. Yoon", "S. O. Arik", "J. Zou"),
        title="Provable Membership Inference Privacy",
        venue=_TMLR,
        year=2024,
        journal=True,
        question="Can an algorithm bound every membership inference attack without the cost of full differential "
        "privacy? The paper defines this weaker guarantee, membership inference privacy, and the noise that achieves "
        "it for any algorithm.",
    ),
    "thudi": Paper(
        key="thudi2024differential",
        picture="thudi_fig3",
        authors=("A. Thudi", "I. Shumailov", "F. Boenisch", "N. Papernot"),
        title="From Differential Privacy to Bounds on Membership Inference: Less can be More",
        venue=_TMLR,
        year=2024,
        journal=True,
        question="When an attack predicts that a record is a member, how often is it right? The paper bounds this "
        "precision (positive accuracy) by epsilon and by the sampling rate of the training set, so that training on "
        "less of the data allows a larger epsilon.",
    ),
    "ye": Paper(
        key="ye2022enhanced",
        picture="ye_roc_mnist",
        authors=("J. Ye", "A. Maddi", "S. K. Murakonda", "V. Bindschaedler", "R. Shokri"),
        title="Enhanced Membership Inference Attacks against Machine Learning Models",
        venue="ACM Conference on Computer and Communications Security (CCS)",
        year=2022,
        question="Why do membership inference attacks differ so much in what they find? The paper derives attacks from "
        "the hypotheses that they test, and finds those strongest whose threshold depends on both record and model.",
    ),
    "yeom": Paper(
        key="yeom2018privacy",
        picture="yeom_fig2a",
        authors=("S. Yeom", "I. Giacomelli", "M. Fredrikson", "S. Jha"),
        title="Privacy Risk in Machine Learning: Analyzing the Connection to Overfitting",
        venue=_CSF,
        year=2018,
        question="How much does overfitting reveal about the training records and their hidden features? The paper "
        "relates the advantage of simple attacks to the generalisation error, and shows a trainer who leaks membership "
        "without overfitting.",
    ),
}
