"""Authors, titles and topics of the papers, for pages that list them all. Light."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """One paper.

    Attributes:
        short: first author and year.
        citation: authors, title, where it was published.
        question: its question and its answer, in two sentences.
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
        "and shows attacks that exceed it under distribution shift.",
    ),
    "izzo": Paper(
        "Izzo et al. 2024",
        "Z. Izzo, J. Yoon, S. O. Arik, J. Zou. Provable Membership Inference Privacy. Transactions on Machine Learning "
        "Research, 2024.",
        "Can an algorithm bound every membership inference attack without the cost of full differential privacy? The "
        "paper defines this weaker guarantee, membership inference privacy, and the noise that achieves it for any "
        "algorithm.",
    ),
    "thudi": Paper(
        "Thudi et al. 2024",
        "A. Thudi, I. Shumailov, F. Boenisch, N. Papernot. From Differential Privacy to Bounds on Membership "
        "Inference: Less can be More. Transactions on Machine Learning Research, 2024.",
        "When an attack predicts that a record is a member, how often is it right? The paper bounds this precision "
        "(positive accuracy) by epsilon and by the sampling rate of the training set, so that training on less of the "
        "data allows a larger epsilon.",
    ),
    "ye": Paper(
        "Ye et al. 2022",
        "J. Ye, A. Maddi, S. K. Murakonda, V. Bindschaedler, R. Shokri. Enhanced Membership Inference Attacks against "
        "Machine Learning Models. ACM Conference on Computer and Communications Security (CCS), 2022.",
        "Why do membership inference attacks differ so much in what they find? The paper derives attacks from the "
        "hypotheses that they test, and finds those strongest whose threshold depends on both record and model.",
    ),
    "yeom": Paper(
        "Yeom et al. 2018",
        "S. Yeom, I. Giacomelli, M. Fredrikson, S. Jha. Privacy Risk in Machine Learning: Analyzing the Connection to "
        "Overfitting. IEEE Computer Security Foundations Symposium (CSF), 2018.",
        "How much does overfitting reveal about the training records and their hidden features? The paper relates the "
        "advantage of simple attacks to the generalisation error, and shows a trainer who leaks membership without "
        "overfitting.",
    ),
}
