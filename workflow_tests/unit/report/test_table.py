"""Numbers in the tables of the report."""

import pytest

from dpmia.report.table import _rounded


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("0.12345", "0.1235"),
        ("0.500", "0.500"),
        ("48842", "48842"),
        ("12345.6", "12346"),
        ("60000.0", "60000"),
        ("-45678.1", "-45678"),
        ("9999.96", "10000"),
        ("1234567.8", "1.235e+6"),
        ("0.0000123456", "1.235e-5"),
    ],
)
def test_numbers_have_few_digits_and_no_exponent_below_a_million(text, shown):
    assert _rounded(text) == shown
