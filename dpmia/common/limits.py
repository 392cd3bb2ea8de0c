"""The largest and the smallest values that settings take."""

#: Replicates and models: more jobs cannot be planned.
MOST_MODELS = 100_000

#: Delta from where to where: above it guarantees nothing, and noise is found slowly; below, numbers leave their range.
DELTAS = (1e-100, 0.1)
