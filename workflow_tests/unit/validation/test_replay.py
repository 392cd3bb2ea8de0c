"""The guarantee by replay: a training is run again with one record taken out, or replaced, and nothing else changed.

Both runs have the same weights, batches and noise, and each step starts from the same state: what the promise takes for
granted of one step, given all before it. Then three things must hold.

`sensitivity`: sums of clipped gradients differ by at most C where a record is taken out, by 2C where it is replaced.
`nothing else`: they differ by what that record gives in a batch of its own, and not at all where it is in none.
`noise`: other noise changes the step by sigma C times the difference of the noise, whatever the records.

What an optimiser makes of the noisy sum is the same function of it in both runs. What happens before a batch is drawn
(rate, number of steps, noise of other models, the relation) is the same in both runs too, so such a fault cannot show
here: the audit of `test_canary` sees it. `FAULTS` says of each deliberate fault which of the four finds it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from replay import (
    BATCH,
    CLIP_NORM,
    NETWORK,
    PERCEPTRON,
    RECORDS,
    SIGMA,
    make_data,
    replay,
)
from replay_faults import FAULTS

from dpmia.formats.recipe import Recipe
from dpmia.training.engines import batch_layout
from dpmia.training.engines.convolution import ConvolutionEngine
from dpmia.training.engines.opacus import OpacusEngine
from dpmia.training.engines.stacked import StackedEngine
from dpmia.training.run import Run, Seeds


@pytest.mark.parametrize("changes", [{}, {"momentum": 0.9, "l2": 0.01}], ids=["sgd", "momentum, l2"])
@pytest.mark.parametrize(
    ("engine", "architecture"),
    [
        (StackedEngine, PERCEPTRON),
        (StackedEngine, replace(PERCEPTRON, activation="tanh")),
        (OpacusEngine, PERCEPTRON),
        (OpacusEngine, NETWORK),
        (ConvolutionEngine, NETWORK),
    ],
    ids=["stacked", "stacked, tanh", "opacus, ghost", "opacus, hooks", "convolution"],
)
def test_one_record_changes_a_step_by_its_own_clipped_gradient_and_by_nothing_else(engine, architecture, changes):
    longest, longest_swapped = 0.0, 0.0
    for victim in (3, RECORDS - 1):
        faults, largest, largest_swapped = replay(engine, architecture, victim, **changes)
        assert not faults
        longest, longest_swapped = max(longest, largest), max(longest_swapped, largest_swapped)
    # Clipping was at work: the bounds are reached.
    assert longest > 0.99
    assert longest_swapped > 1.9


@pytest.mark.parametrize("padded", [0, 10**9], ids=["ragged", "padded"])
def test_no_model_of_a_stack_notices_the_records_of_another(padded, monkeypatch):
    monkeypatch.setattr(batch_layout, "PADDED_PARAMETERS", padded)
    assert not replay(StackedEngine)[0]
    x, y = make_data(PERCEPTRON)
    recipe = Recipe("adam", 0.1, BATCH, 1, clip_norm=CLIP_NORM)

    def bystander(first):
        runs = [Run(f"r{k}", rows, Seeds(k, k, k), SIGMA) for k, rows in enumerate((first, np.arange(RECORDS)))]
        engine = StackedEngine(PERCEPTRON, recipe, runs, x, y)
        engine.advance(engine.steps)
        return engine.parameters()[1]

    whole, swapped = bystander(np.arange(RECORDS)), bystander(np.append(np.arange(RECORDS - 1), 2 * RECORDS - 1))
    assert torch.equal(whole, swapped)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_shows_in_the_replay(fault):
    faults = set()
    for victim in (RECORDS - 1, 3, 0):
        faults |= replay(fault, victim=victim)[0]
        if faults >= FAULTS[fault]:
            return
    pytest.fail(f"expected {FAULTS[fault]}, found {faults}")
