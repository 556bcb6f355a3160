"""A table of the floor between its rounds: equipment, people, chips, meters, and its devices' reports."""
