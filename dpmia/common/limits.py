"""The largest and the smallest values that settings take."""

#: Replicates and models: more jobs cannot be planned.
MOST_MODELS = 100_000

#: Records to draw from: each takes some 25 bytes while a split is drawn.
MOST_RECORDS = 1_000_000_000

#: Steps of a private training run: more than any takes. Its noise and its bounds would take minutes to compute.
MOST_STEPS = 1_000_000

#: Smallest probability of membership: precision loses its digits below.
RAREST = 1e-9

#: Delta from where to where: above it guarantees nothing, and noise is found slowly. Below, the rounding errors of the
#: accountant of privacy loss distributions count: a quarter too much noise at 1e-12, up to hundreds of times at 1e-15.
DELTAS = (1e-11, 0.1)

#: Random halves for the moments of membership inference privacy, at most: all are drawn before the first fit.
MOST_SPLITS = 100_000
#: Of fewer halves the moments are so uncertain that eta does not hold: with 2, an outlier was found with a gain of .3
#: instead of .1, with 4 of .15.
FEWEST_SPLITS = 16

#: Lists of exposed records are compared over so many replicates, the first ones.
LISTS_COMPARED = 3
