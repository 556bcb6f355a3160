"""Face Up Pai Gow Poker with a player-dealer, California (GEGR-002138)."""
