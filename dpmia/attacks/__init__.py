"""Membership inference attacks on signals.

An attack is a class with an attribute `oracle` (whether its decision rule looks at the answers) and two methods:

* `scores(signal, rng)` gives one number for each asked record; higher means more likely a member;
* `decisions(signal, scores)` turns the scores into yes/no.
"""
