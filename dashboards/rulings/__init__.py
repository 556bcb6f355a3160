"""The findings of a round as markup: its account, the ruling on a dispute, the parts only printed. Pure functions."""
