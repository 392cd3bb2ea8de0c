"""Who wrote the papers, what they are called, and what they ask: for pages that show them all. Light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """One paper.

    Attributes:
        short: how it is spoken of: first author and year.
        citation: authors, title, where it was published.
        question: what it asks and what it answers, in two sentences.
    """

    short: str
    citation: str
    question: str


ABOUT = {
    "humphries": Paper(
        "Humphries et al. 2023",
        "T. Humphries, S. Oya, L. Tulloch, M. Rafuse, I. Goldberg, U. Hengartner, F. Kerschbaum. Investigating "
        "Membership Inference Attacks under Data Dependencies. IEEE Computer Security Foundations Symposium (CSF), "
        "2023.",
        "Does differential privacy still bound membership inference when the records of a training set depend on each "
        "other, as those of one hospital, one school or one year do? The paper proves a bound for independent records "
        "and shows attacks that pass it where members and non-members come from different groups.",
    ),
    "izzo": Paper(
        "Izzo et al. 2024",
        "Z. Izzo, J. Yoon, S. O. Arik, J. Zou. Provable Membership Inference Privacy. Transactions on Machine Learning "
        "Research, 2024.",
        "Can one promise that no attacker tells members from others much better than by guessing, without paying for "
        "all of differential privacy? The paper defines this weaker promise, membership inference privacy, and the "
        "noise that keeps it for any algorithm.",
    ),
    "thudi": Paper(
        "Thudi et al. 2024",
        "A. Thudi, I. Shumailov, F. Boenisch, N. Papernot. From Differential Privacy to Bounds on Membership "
        "Inference: Less can be More. Transactions on Machine Learning Research, 2024.",
        "When an attack calls a record a member, how often can it be right? The paper bounds this positive accuracy by "
        "epsilon and by the probability that a record was drawn into the training set at all, so that training on less "
        "of the data leaves more epsilon to learn with.",
    ),
    "ye": Paper(
        "Ye et al. 2022",
        "J. Ye, A. Maddi, S. K. Murakonda, V. Bindschaedler, R. Shokri. Enhanced Membership Inference Attacks against "
        "Machine Learning Models. ACM Conference on Computer and Communications Security (CCS), 2022.",
        "Why do membership inference attacks differ so much in what they find? The paper derives attacks from the "
        "worlds that they compare, and finds those strongest whose threshold fits both the record and the model.",
    ),
    "yeom": Paper(
        "Yeom et al. 2018",
        "S. Yeom, I. Giacomelli, M. Fredrikson, S. Jha. Privacy Risk in Machine Learning: Analyzing the Connection to "
        "Overfitting. IEEE Computer Security Foundations Symposium (CSF), 2018.",
        "What does overfitting tell about who was trained on, and about the hidden features of those who were? The "
        "paper ties the advantage of simple attackers to the generalisation error, and shows a trainer who betrays "
        "members without overfitting.",
    ),
}
