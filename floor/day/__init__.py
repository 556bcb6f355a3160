"""Gaming days of a whole floor: which table plays when, what happens there, and what its devices report."""
