"""What to run: the keys of all settings, and their checks."""
