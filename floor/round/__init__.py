"""A round of play: its plan, and the script of its course."""
