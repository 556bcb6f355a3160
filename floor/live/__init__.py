"""A floor that plays by the clock: its devices report events over HTTP when they happen."""
