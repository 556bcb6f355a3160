"""Rounds, the open suite: the golden rounds for any program, what runs them, and a second engine (docs/rounds-suite.md)."""
