"""Izzo et al. 2022: membership inference privacy, a weaker promise than differential privacy that needs less noise."""
