"""Figures from adjudications: a warehouse with declared grains, and questions to it."""
