"""An algorithm whose output hardly varies over training sets and yet may change enormously with one record."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class ReciprocalSum:
    """The data set of proposition 9 and, on it, the algorithm A(S) = 1 / (sum of S).

    The n numbers are 2^0, ..., 2^(n-2) and N^(-1/2) - (2^0 + ... + 2^(n/2-2)), N = number of halves. The half made of
    the last number and those that cancel it has the sum N^(-1/2), so A = sqrt(N) there, with probability 1/N. On all
    other halves A lies in (0, 1) and is small. So the variance of A over halves stays below 1 while its sensitivity
    grows exponentially: noise for MIP need not grow with n, noise for DP must.

    Variance at most 1, for n >= 8: with T, T2 the sums of A and A^2 over the other halves it is
    1 + T2/N - (N^(-1/2) + T/N)^2 <= 1 + T2/N - 1/N, and T2 < 1, as those sums are distinct numbers of at least 2^(n/2)
    - 1 (without the last number) or 2^(n/2-2) (with it): T2 <= 1/(2^(n/2) - 2) + 1/(2^(n/2-2) - 1) <= 1/14 + 1/3.

    Attributes:
        records: n, even.

    Source: Izzo et al. 2024, proposition 9; the function A is reconstructed, the numbers fit the outline of its proof.
    """

    records: int

    def __post_init__(self) -> None:
        """Refuse what cannot be halved."""
        if self.records < 4 or self.records % 2:
            raise ValueError(f"expected an even number of records of at least 4, got {self.records}")

    @property
    def halves(self) -> int:
        """N, the number of training sets."""
        return math.comb(self.records, self.records // 2)

    @property
    def values(self) -> np.ndarray:
        """The n numbers, (records,): rounded, so sums of many of them lose digits that `outputs` keeps."""
        return np.array([*(2.0**power for power in range(self.records - 1)), self.halves**-0.5 - self._cancelled])

    @property
    def sensitivity(self) -> float:
        """Largest change of A between two halves of this data set that differ in one record.

        It is reached where the last number of the rare half gives way to the largest one.
        """
        return math.sqrt(self.halves) - 1 / (2 ** (self.records - 2) + self._cancelled)

    def outputs(self) -> np.ndarray:
        """Return A on all halves, (N,), by enumeration: whole numbers are summed first, so that nothing cancels.

        Raises:
            ValueError: more than 24 records, where there are too many halves.
        """
        if self.records > 24:
            raise ValueError(f"expected at most 24 records to enumerate their halves, got {self.records}")
        half = self.records // 2
        sums = np.arange(2 ** (self.records - 1))  # the binary digits of a number say which powers it is the sum of
        count = np.bitwise_count(sums)
        with_last = sums[count == half - 1] - self._cancelled + self.halves**-0.5
        return 1 / np.concatenate([sums[count == half], with_last])

    def variance(self) -> float:
        """Return the variance of A over all halves. Raises as `outputs`."""
        return float(self.outputs().var())

    @property
    def _cancelled(self) -> int:
        """2^0 + ... + 2^(n/2-2)."""
        return 2 ** (self.records // 2 - 1) - 1
