"""Rounds, the open suite: the golden rounds for any program, their runner, and a second engine (docs/rounds-suite.md)."""
