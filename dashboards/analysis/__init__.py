"""The views of Hold, Dealer errors and Fairness: their filters and their exported figures."""
