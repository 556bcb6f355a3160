"""Shadows: see what one changes, and adopt it."""
