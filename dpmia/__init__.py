"""Membership inference attacks, what differential privacy guarantees against them, and where that ends."""

__version__ = "1.0.0"
