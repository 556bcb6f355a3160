"""The games: cards, ranks, filed rules, and what every wager is due. Pure; imports nothing else of the project."""
