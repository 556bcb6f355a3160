"""What each wager of a round was due and what was done: hands as they can be read, stakes, payouts, voids."""
