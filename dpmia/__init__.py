"""Membership inference attacks, what differential privacy guarantees against them, and where that ends."""

__version__ = "0.1.0"
