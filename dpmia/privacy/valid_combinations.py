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

#: What the published code of Humphries et al. does: shuffled batches are judged as if each were drawn anew without
#: replacement, and the noise is that of a sensitivity of C where a replaced record has 2 C. No theorem covers it.
AS_PUBLISHED = ("shuffle", "replace_one", "rdp_as_published")
