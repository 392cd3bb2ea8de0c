"""Membership inference privacy for any algorithm whose output is a vector of numbers: train on half, add noise."""
