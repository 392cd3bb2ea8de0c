"""Which accountant may judge which sampler: everything else is refused."""

from __future__ import annotations

#: (sampling, relation, accountant) for which a theorem gives (epsilon, delta).
#: Without amplification by sampling, removing a record would also move the others between batches, so
#: `shuffle` goes with `replace_one` only.
VALID_ACCOUNTING = (
    ("poisson", "replace_one", "pld"),
    ("poisson", "add_remove", "pld"),
    ("poisson", "add_remove", "rdp"),
    ("shuffle", "replace_one", "pld"),
)
