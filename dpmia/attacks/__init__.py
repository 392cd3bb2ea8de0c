"""Membership inference attacks on signals.

An attack is a class (see `base.Attack`) whose attributes state what it needs, with two methods:

* `scores(signal, knowledge, rng)` gives one number for each query record; higher means more likely a member;
* `decisions(signal, scores)` turns the scores into yes/no.

It becomes available by one line in `dpmia.settings.names.ATTACKS`; one of another package by an entry point, and one in
a file by the file's name (docs/extend.md).
"""
