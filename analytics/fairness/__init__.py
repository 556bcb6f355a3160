"""Dice, cards, shufflers and decks against chance."""
