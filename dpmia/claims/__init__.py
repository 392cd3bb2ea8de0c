"""What papers claim, judged by machine on the tables of a run: no knowledge of any paper here.

A claim names its quantities, compares each with a number, and has a rule that decides:

    Claim(
        id="humphries-fig3-order",
        artifact="humphries_fig3",
        statement="On clusters of COMPAS the optimal threshold does better than on the same records shuffled.",
        tables=("replicates/compas_cluster",),
        rule=Every(Condition("advantage non-IID minus IID, at every epsilon from 0.1 up", above(0.1), measure)),
    )

`measure` takes the tables and returns the cells of the quantity: name -> values of each replicate. The criterion that
people read is "advantage non-IID minus IID, at every epsilon from 0.1 up: above 0.1", made of what is compared.
Comparisons are in `comparisons`, rules in `decisions`, metrics of an experiment in `rows`, verdicts in `judge`.
"""
