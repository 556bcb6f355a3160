"""Transcripts: a round of play as text that a person writes and reads."""
