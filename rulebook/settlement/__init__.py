"""Shared settlement of the games: odds, bonus wagers, dice wagers, meters."""
