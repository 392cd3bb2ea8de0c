"""Data sets from files of the user's own: read, checked, described."""
