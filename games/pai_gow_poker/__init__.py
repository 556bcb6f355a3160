"""Pai Gow Poker with its side wagers (58 Pa. Code Chapter 645c)."""
