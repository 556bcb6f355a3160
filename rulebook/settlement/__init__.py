"""What the games share in settling a wager: odds, bonus wagers, dice wagers, meters."""
