"""Adjudications become figures: a warehouse with declared grains, and the questions that people ask of it."""
