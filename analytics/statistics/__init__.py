"""Arithmetic of chance: exact distributions, corrections for many tests, outliers."""
