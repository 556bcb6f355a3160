"""Face Up Pai Gow Poker on the floor: its tables, rounds, planted faults and legitimate irregularities."""
