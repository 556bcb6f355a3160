"""What was found of a round, as markup: its account, the ruling on a dispute, what is on paper only. Pure functions."""
