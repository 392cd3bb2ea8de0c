"""Attribute inference: what a model reveals of one hidden feature of a record, and its ties to membership inference.

The target is one feature with `values` possible values; all others and the response are known. Every attack works on
arrays with one column for each value that the target might have. A guess is a column's number, or `NOTHING`.
All from Yeom et al. 2018.
"""

from __future__ import annotations

import numpy as np

from dpmia.metrics import ranking

#: The guess of an attack that does not guess.
NOTHING = -1

#: The order in which the values are tried: the most frequent first, as the paper says, or last, as its code does.
ORDERS = ("descending", "ascending")


def most_likely(errors: np.ndarray, prior: np.ndarray, sigma_s: float) -> np.ndarray:
    """Guess the value that is most likely, by its frequency and by the error that the model would then have.

    Args:
        errors: float64, shape (records, values): response minus prediction, for each value of the target.
        prior: shape (values,): frequencies with sum 1; a value of frequency 0 is never guessed.
        sigma_s: standard deviation of the errors that the attacker expects, > 0.

    Returns:
        int64, shape (records,); of equally likely values the first.

    Raises:
        ValueError: `sigma_s` is not positive.

    Source: adversary 4, with a normal distribution of errors.
    """
    if not sigma_s > 0:
        raise ValueError(f"expected a standard deviation greater than 0, got {sigma_s}")
    with np.errstate(divide="ignore"):
        return np.argmax(np.log(prior) - (errors / sigma_s) ** 2 / 2, axis=1)


def membership_by_attribute(guesses: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Predict "member" where an attribute attack guesses right.

    Args:
        guesses: int, shape (records,).
        truth: int, shape (records,): columns of the true values.

    Source: adversary 5.
    """
    return guesses == truth


def advantage(guesses: np.ndarray, truth: np.ndarray, is_member: np.ndarray) -> dict[str, float]:
    """Return `tpr` and `fpr`, the shares of right guesses among members and others, and `advantage`, their difference.

    Guesses that are right by what holds for everyone, members or not, count for nothing.

    Args:
        guesses: int, shape (records,).
        truth: int, shape (records,).
        is_member: bool, shape (records,).

    Raises:
        ValueError: members or non-members are missing.

    Source: definition 5; by theorem 6 it is the advantage of the membership attack of adversary 5.
    """
    return ranking.advantage(membership_by_attribute(guesses, truth), is_member)


def uniform_reduction(accepted: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Run a membership attack on one value, chosen evenly; guess it if the attack predicts "member".

    Args:
        accepted: bool, shape (records, values): whether the membership attack takes the record with this value of
            the target for a member.
        rng: source of randomness.

    Returns:
        int64, shape (records,), `NOTHING` where the attack predicts "non-member".

    Source: adversary 6, the uniform reduction.
    """
    chosen = rng.integers(accepted.shape[1], size=len(accepted))
    return np.where(accepted[np.arange(len(accepted)), chosen], chosen, NOTHING)


def multi_query_reduction(accepted: np.ndarray, prior: np.ndarray, order: str = "descending") -> np.ndarray:
    """Try one value after another in a membership attack; guess the first that it predicts a member.

    Args:
        accepted: bool, shape (records, values): as in `uniform_reduction`.
        prior: shape (values,): frequencies of the values.
        order: one of `ORDERS`; of equally frequent values the first column comes first.

    Returns:
        int64, shape (records,), `NOTHING` where no value is taken for a member's.

    Raises:
        ValueError: the order is unknown.

    Source: adversary 7, the multi-query reduction; `ascending` is the order of the published code.
    """
    if order not in ORDERS:
        raise ValueError(f"expected an order of {', '.join(ORDERS)}, got {order!r}")
    prior = np.asarray(prior)
    columns = np.argsort(-prior if order == "descending" else prior, kind="stable")
    first = columns[np.argmax(accepted[:, columns], axis=1)]
    return np.where(accepted.any(axis=1), first, NOTHING)
