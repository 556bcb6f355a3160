"""The games: cards, ranks, the rules a casino files, and what every wager is due. Pure; imports nothing else of the project."""
