"""Names of files and folders after texts of the user's."""

import pytest

from dpmia.common.slug import slug


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Clinic 2", "clinic_2"),
        ("a__b", "a_b"),
        ("_a-", "a"),
        ("Klinik-Ä", "klinik"),
        ("2023", "data_2023"),
        ("患者", "data"),
        ("", "data"),
    ],
)
def test_a_name_has_letters_digits_and_single_underscores_and_begins_with_a_letter(text, name):
    assert slug(text, "data") == name
