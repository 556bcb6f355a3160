"""Faults as edits of a round's script, and the labels of what was planted."""
