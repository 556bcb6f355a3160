"""Plays every round again from its events: folds, adjudicates by the regulation and the filed rules, and keeps the verdicts."""
