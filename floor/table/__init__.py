"""A table of the floor between its rounds: equipment, people, chips, meters, and what its devices report."""
