"""Calibration: honest rounds of every game, played by the simulator and settled by the games, held against exact counts."""
