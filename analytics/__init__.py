"""Turns adjudications into figures: a warehouse with declared grains, and the questions that are asked of it."""
