"""Damaged and hostile files of every kind: a clear error that names the file, or nothing changed in meaning."""

from __future__ import annotations

from collections import Counter

import mutations
import pytest
from hostile_targets import TARGETS

from dpmia.common import errors
from dpmia.common.errors import UserError

#: Examples of each kind of file in the default tests, and in the slow ones.
FEW, MANY = 15, 450
#: A message is for a person; control signs in it are spelt out.
LONGEST = 4 * errors.LONGEST


def try_damages(name, folder, examples):
    """Damage the files of a target again and again; return how many were refused, accepted as they were, changed."""
    target = TARGETS[name]
    folder.mkdir()
    target.write(folder)
    whole = target.read(folder)
    contents = {file: file.read_bytes() for file in sorted(folder.iterdir()) if file.name != "SYNTHETIC.txt"}
    present = sorted(folder.iterdir())
    outcomes = Counter()
    for example in examples:
        rng = mutations.rng_of(name, example)
        file, damage = mutations.any_of(rng, list(contents)), mutations.any_of(rng, target.damages)
        where = f"{name}: {damage.__name__} of {file.name}, example {example}, DPMIA_TEST_SEED={mutations.SEED}"
        content = damage(rng, contents[file])
        file.write_bytes(content)
        try:
            read = target.read(folder)
        except UserError as error:
            message = str(error)
            assert file.name in message, f"{where}: no name of the file in {message}"
            assert len(message) < LONGEST, f"{where}: {message}"
            assert message.endswith((".", "?", "!")), f"{where}: {message}"
            outcomes["refused"] += 1
        except Exception as error:
            raise AssertionError(f"{where}: {error!r}") from error
        else:
            same = read == whole
            assert same or damage not in target.exact, f"{where}: another meaning"
            outcomes["the same" if same else "changed"] += 1
        assert sorted(folder.iterdir()) == present, where
        file.write_bytes(contents[file])
    return outcomes


@pytest.mark.parametrize("name", TARGETS)
def test_damaged_files_are_refused_or_mean_the_same(tmp_path, name):
    outcomes = try_damages(name, tmp_path / "raw", range(FEW))
    print(f"seed {mutations.SEED}: {dict(outcomes)}")
    assert outcomes["refused"] > FEW // 3, "most damages are damages"


@pytest.mark.slow  # minutes for all kinds of files
@pytest.mark.parametrize("name", TARGETS)
def test_many_damaged_files_are_refused_or_mean_the_same(tmp_path, name):
    outcomes = try_damages(name, tmp_path / "raw", range(FEW, FEW + MANY))
    print(f"seed {mutations.SEED}: {dict(outcomes)}")
    assert outcomes["refused"] > MANY // 3
