"""Ye et al. 2022: attacks from one hypothesis test, each with less left to chance than the one before."""
