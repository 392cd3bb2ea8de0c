"""Random streams: seeded from all bits, one for each purpose, and the same whatever stands beside them."""

from __future__ import annotations

import numpy as np
import torch

from dpmia.formats.recipe import Recipe
from dpmia.training.run import Seeds
from dpmia.training.streams import Streams, full_generator

RECIPE = Recipe("sgd", 0.1, 10, 1)


def normals(seed):
    return torch.empty(50).normal_(generator=full_generator(seed))


def test_a_generator_is_a_twister_that_starts_from_words_drawn_with_all_bits_of_the_seed():
    seed = 0x1234_5678_9ABC_DEF
    twister = np.random.MT19937()
    state_words = np.random.SFC64(seed).random_raw(624) >> np.uint64(32)
    twister.state = {"bit_generator": "MT19937", "state": {"key": state_words.astype(np.uint32), "pos": 624}}
    drawn = torch.empty(2000, dtype=torch.int64).random_(0, 2**31, generator=full_generator(seed)).numpy()
    # torch takes two words for each number.
    numbers = twister.random_raw(2 * 2000)
    assert (drawn == numbers[1::2] % 2**31).all()


def test_seeds_that_differ_in_high_bits_only_give_other_numbers():
    assert not torch.equal(normals(5), normals(5 + 2**32))
    assert not torch.equal(normals(5), normals(5 + 2**62))


def test_equal_seeds_give_equal_numbers():
    assert torch.equal(normals(2**63 - 1), normals(2**63 - 1))


def test_many_seeds_give_normals_without_a_trace_of_their_order():
    first = torch.stack([normals(seed) for seed in range(400)])
    assert abs(first.mean()) < 4 / np.sqrt(first.numel())  # 4 standard errors: false alarm 6e-5
    neighbours = (first[1:] * first[:-1]).mean()
    assert abs(neighbours) < 4 / np.sqrt(first.numel())


def test_streams_of_runs_whose_seeds_agree_in_their_low_bits_are_not_shared():
    near, far = (Streams(Seeds(1 + high, 2 + high, 3 + high), RECIPE, 100) for high in (0, 2**40))
    noise = [torch.empty(30), torch.empty(30)]
    for stream, out in zip((near, far), noise, strict=True):
        stream.noise(out)
    assert not torch.equal(*noise)
    assert not np.array_equal(
        np.concatenate([near.batch() for _ in range(9)]), np.concatenate([far.batch() for _ in range(9)])
    )
