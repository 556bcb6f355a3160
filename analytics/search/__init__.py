"""The search for a round that a person remembers or describes in words, and for words in people's texts."""
