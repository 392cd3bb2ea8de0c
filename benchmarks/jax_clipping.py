"""Private training by JAX, as a baseline beside Opacus: for `engines.py --jax PYTHON`, in an environment of its own.

`PYTHON benchmarks/jax_clipping.py` compares the clipped sums of both ways. jax-privacy clips the gradients of single
records, which JAX vectorises; it has no ghost clipping. That is written here: one backward pass gives the gradient at
each layer's output, from which follow the norms of all records and the sum of their clipped gradients.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator

# One thread, and before JAX is imported.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import jax
import jax.numpy as jnp
import jax_privacy
import numpy as np
import optax
from jax_privacy.batch_selection import pad_to_multiple_of
from perceptrons import CLIPPED_GRAD, JAX_GHOST, PERCEPTRONS, Perceptron
from timing import work

Layers = list[tuple[jax.Array, jax.Array]]
#: Sum of clipped gradients: a function of layers, features, labels, and which rows only fill the batch up.
ClippedSum = Callable[[Layers, jax.Array, jax.Array, jax.Array], Layers]

CLIP_NORM, NOISE = 1.0, 1.0
#: Batches of all sizes are filled up to multiples of this many rows: JAX compiles a step anew for each size.
MULTIPLE = 16


def make_data(case: Perceptron) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels of a training set."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((case.records, case.widths[0]), dtype=np.float32)
    return x, rng.integers(case.widths[-1], size=case.records)


def initial(case: Perceptron) -> Layers:
    """Return weights and biases."""
    rng = np.random.default_rng(1)
    return [
        (jnp.asarray(rng.standard_normal((a, b), dtype=np.float32) / a**0.5), jnp.zeros(b))
        for a, b in zip(case.widths[:-1], case.widths[1:], strict=True)
    ]


def forward(
    layers: Layers, x: jax.Array, at_outputs: list[jax.Array] | None = None
) -> tuple[jax.Array, list[jax.Array]]:
    """Return logits, and the input of each layer; `at_outputs` is added to the output of each."""
    inputs = []
    for number, (weight, bias) in enumerate(layers):
        inputs.append(x)
        x = x @ weight + bias
        if at_outputs is not None:
            x = x + at_outputs[number]
        if number < len(layers) - 1:
            x = jax.nn.relu(x)
    return x, inputs


def losses(logits: jax.Array, y: jax.Array) -> jax.Array:
    """Return the cross-entropy of each record."""
    return optax.softmax_cross_entropy_with_integer_labels(logits, y)


def by_jax_privacy() -> ClippedSum:
    """Return the clipped sum of jax-privacy."""
    clipped = jax_privacy.clipped_grad(
        lambda layers, x, y: losses(forward(layers, x)[0], y).sum(), l2_clip_norm=CLIP_NORM, batch_argnums=(1, 2)
    )
    return lambda layers, x, y, filling: clipped(layers, x, y, is_padding_example=filling)


def by_ghost_clipping() -> ClippedSum:
    """Return the clipped sum without gradients of single records (Goodfellow 2015)."""

    def clipped(layers: Layers, x: jax.Array, y: jax.Array, filling: jax.Array) -> Layers:
        def total(at_outputs: list[jax.Array]) -> tuple[jax.Array, list[jax.Array]]:
            logits, inputs = forward(layers, x, at_outputs)
            return jnp.where(filling, 0, losses(logits, y)).sum(), inputs

        zeros = [jnp.zeros((len(x), len(bias))) for _, bias in layers]
        deltas, inputs = jax.grad(total, has_aux=True)(zeros)
        squares = sum(((a * a).sum(1) + 1) * (delta * delta).sum(1) for a, delta in zip(inputs, deltas, strict=True))
        factors = jnp.minimum(1, CLIP_NORM * jax.lax.rsqrt(jnp.maximum(squares, 1e-30)))[:, None]
        return [(a.T @ (delta * factors), (delta * factors).sum(0)) for a, delta in zip(inputs, deltas, strict=True)]

    return clipped


def steps(make: Callable[[], ClippedSum]) -> Callable:
    """Return the way that trains with a clipped sum."""

    def train(case: Perceptron, x: np.ndarray, y: np.ndarray) -> Iterator[int]:
        clipped = make()
        optimiser = optax.adam(1e-3) if case.optimiser == "adam" else optax.sgd(0.01)
        layers = initial(case)
        state = optimiser.init(layers)

        @jax.jit
        def update(layers, state, key, features, labels, filling):
            sums = clipped(layers, features, labels, filling)
            parts, tree = jax.tree.flatten(sums)
            keys = jax.random.split(key, len(parts))
            noisy = [
                (part + NOISE * CLIP_NORM * jax.random.normal(each, part.shape)) / case.batch
                for part, each in zip(parts, keys, strict=True)
            ]
            changes, state = optimiser.update(jax.tree.unflatten(tree, noisy), state)
            return optax.apply_updates(layers, changes), state

        rng, key = np.random.default_rng(2), jax.random.key(0)
        # Every size that is likely, so that no compilation is timed.
        most = int(case.batch + 5 * case.batch**0.5)
        sizes = [np.arange(size) for size in range(max(1, 2 * case.batch - most), most, MULTIPLE)]
        for number in range(10**9):
            if number < len(sizes):
                chosen = sizes[number]
            else:
                chosen = rng.choice(case.records, rng.binomial(case.records, case.batch / case.records), replace=False)
            rows = pad_to_multiple_of(chosen, MULTIPLE)
            layers, state = update(layers, state, jax.random.fold_in(key, number), x[rows], y[rows], rows == -1)
            if number >= len(sizes):
                jax.block_until_ready(layers)
                yield 1

    return train


WAYS = {CLIPPED_GRAD: steps(by_jax_privacy), JAX_GHOST: steps(by_ghost_clipping)}


def compare() -> float:
    """Return by how much the clipped sums of both ways differ, relative to the largest entry of each parameter."""
    worst = 0.0
    for case in PERCEPTRONS.values():
        x, y = make_data(case)
        rows = np.r_[np.arange(case.batch), np.full(7, -1)]
        given = initial(case), jnp.asarray(x[rows]), jnp.asarray(y[rows]), jnp.asarray(rows == -1)
        ours, theirs = (jax.tree.leaves(jax.jit(make())(*given)) for make in (by_ghost_clipping, by_jax_privacy))
        gaps = [float(jnp.abs(a - b).max() / jnp.abs(b).max()) for a, b in zip(ours, theirs, strict=True)]
        worst = max(worst, *gaps)
    return worst


def main() -> None:
    """Train when asked, or compare both ways."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    if parser.parse_args().worker:
        work(PERCEPTRONS, WAYS, make_data)
        return
    gap = compare()
    print(f"clipped sums differ by {gap:.1e} of the largest entry")
    if gap > 1e-4:
        raise SystemExit("that is more than rounding")


if __name__ == "__main__":
    main()
