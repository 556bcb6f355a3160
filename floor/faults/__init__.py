"""Faults as edits of a round's script, and the labels of planted faults."""
