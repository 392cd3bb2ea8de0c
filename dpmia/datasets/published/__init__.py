"""Published data sets: a module each, with `read` and `encode`."""
