"""What all games share of the rules: cards, chapters and submissions, settlement, house ways. Pure; imports nothing of ours."""
