"""Membership experiments: which records train the model, and which stay outside."""
