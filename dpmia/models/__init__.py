"""Architectures as data, and the modules and initial weights that follow from them."""
