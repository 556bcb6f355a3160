"""Folds a table's events, in the order of its stream, into rounds of play and the state of the table between them."""
