"""Face Up Pai Gow Poker in California on the floor: a patron is the player-dealer, and the house takes a fee."""
