"""Over/Under (Annex A, rulemaking 125-223, Chapter 686a)."""
