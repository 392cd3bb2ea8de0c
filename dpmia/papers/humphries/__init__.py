"""Humphries et al. 2023: data dependence breaks the bound that differential privacy gives on membership inference."""
