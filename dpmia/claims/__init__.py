"""Claims of papers, judged on the tables of a run: no knowledge of any paper here.

A claim names its quantities, compares each with a number, and has a rule that decides:

    claim(
        "humphries-fig3-order",
        "On clusters of COMPAS the optimal threshold does better than on the same records shuffled.",
        Condition("advantage non-IID minus IID, at every epsilon from 0.1 up", above(0.1), measure),
        artifact="humphries_fig3",
        tables=("replicates/compas_cluster",),
    )

`measure` takes the tables and returns the cells of the quantity: name -> values of each replicate. The criterion that
people read is "advantage non-IID minus IID, at every epsilon from 0.1 up: above 0.1", generated from what is compared.
`claim` is in `build`, measures in `quantities` and `rows`, comparisons in `comparisons`, rules in `decisions`, verdicts
in `judge`.
"""
