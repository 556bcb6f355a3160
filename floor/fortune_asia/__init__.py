"""Fortune Asia Poker on the floor: dealt like Face Up Pai Gow Poker, set in three hands, the players first."""
