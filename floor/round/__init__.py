"""A round of play: what is decided before it, and the script of how it goes."""
