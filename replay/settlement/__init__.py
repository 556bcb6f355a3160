"""The due and paid amount of each wager of a round: readings of hands, stakes, payouts, voids."""
