"""What can go wrong in a round, as edits of its script, and the labels that say what was planted."""
