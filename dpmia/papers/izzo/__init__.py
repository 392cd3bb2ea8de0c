"""Izzo et al. 2024: membership inference privacy, a weaker promise than differential privacy that needs less noise."""
