"""A description of an experiment, as captions need it, of which tests change what they are about."""

from dpmia.jobs.describing import ExperimentDescription

HEART = ExperimentDescription(
    dataset="heart",
    architecture="mlp 256-256",
    sizes="90 members",
    passes="20 epochs, batch 32",
    replicates=4,
    clip_norm=1.5,
)
