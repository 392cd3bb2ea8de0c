"""The examples in the docstrings of the Python interface."""

import doctest
from importlib import import_module

import pytest

import dpmia
from dpmia.settings.generate import ROOT


@pytest.mark.parametrize("name", [name for name in dpmia.__all__ if name != "MIPEstimator"])
def test_the_examples_of_the_public_functions_hold(name):
    module = import_module(dpmia._MODULES[name])
    finder = doctest.DocTestFinder(exclude_empty=True)
    (example,) = [test for test in finder.find(module) if test.name.endswith(f".{name}")]
    assert len(example.examples) >= 2
    result = doctest.DocTestRunner().run(example)
    assert not result.failed


def test_the_examples_of_the_quick_start_hold():
    result = doctest.testfile(str(ROOT / "docs/index.md"), module_relative=False)
    assert result.attempted == 9
    assert not result.failed


@pytest.mark.slow  # plans noise many times
def test_the_examples_of_the_page_hold():
    result = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False)
    assert result.attempted > 25
    assert not result.failed
