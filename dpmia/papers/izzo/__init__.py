"""Izzo et al. 2024: membership inference privacy, weaker than differential privacy, with less noise."""
