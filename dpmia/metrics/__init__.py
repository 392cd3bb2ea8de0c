"""Measures of attacks, one definition each: rankings, precision, intervals, exposure of single records."""
