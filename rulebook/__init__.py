"""The part of the rules that all games share: cards, chapters and submissions, settlement, house ways. Pure; imports nothing of
ours.
"""
