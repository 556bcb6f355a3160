"""Pai Gow Poker on the floor, commission-free or with vigorish: wagers on the dice, Tiger 9, the Must-Hit-By bonus."""
