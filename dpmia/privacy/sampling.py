"""How often records are sampled, and for how many steps: what accounting and training must agree on."""

from __future__ import annotations


def sampling_rate(batch_size: int, records: int) -> float:
    """Return q, the probability that a record is in a batch of `batch_size` expected records.

    The number of records is taken as public: under add/remove, the neighbouring data set is trained with the same q.
    """
    return batch_size / records


def optimiser_steps(batch_size: int, records: int, epochs: int) -> int:
    """Return the number of optimiser steps of some epochs, each as many as whole batches fit into the records."""
    return (records // batch_size) * epochs


def fewer_without_one(batch_size: int, records: int) -> bool:
    """Return whether a training set without one of its records takes fewer steps an epoch, as whole batches do."""
    return records % batch_size == 0
