"""House ways: how the dealer's cards are set, as the casino files it."""
