"""Command lines with placeholders: words as a shell cuts them, and values that stay within their word."""

import pytest

from dpmia.common.command_line import fill, placeholders, split_command


def test_words_are_cut_as_a_shell_cuts_them():
    assert split_command("python 'my train.py' --data={train} -x \"a b\"") == [
        *("python", "my train.py", "--data={train}", "-x", "a b")
    ]


@pytest.mark.parametrize("value", ["; rm -rf ~", "$(touch here)", "a b", "'", "{seed}", "--other"])
def test_a_value_stays_within_its_word_whatever_it_holds(value):
    argv = split_command("program --out={outputs} {seed}")
    assert fill(argv, {"outputs": value, "seed": "7"}) == ["program", f"--out={value}", "7"]


def test_placeholders_are_named_once_and_doubled_braces_are_braces():
    argv = split_command("awk '{{print $1}}' {train} {seed} x{train} {1} {}")
    assert placeholders(argv) == ["train", "seed"]
    assert fill(argv, {"train": "t", "seed": "1"}) == ["awk", "{print $1}", "t", "1", "xt", "{1}", "{}"]


@pytest.mark.parametrize(("command", "problem"), [("python 'train.py", "no closing quotation"), ("  ", "empty")])
def test_what_is_no_command_line_is_refused(command, problem):
    with pytest.raises(ValueError, match=problem):
        split_command(command)
