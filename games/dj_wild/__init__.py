"""DJ Wild Stud Poker (Annex A, rulemaking 125-223, Chapter 687a)."""
