"""Over/Under on the simulated floor (Annex A, rulemaking 125-223, Chapter 686a)."""
