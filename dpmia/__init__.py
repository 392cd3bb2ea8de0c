"""Membership inference attacks, what differential privacy promises against them, and where that ends."""

__version__ = "0.1.0"
