"""The parts of Hold, Dealer errors and Fairness: a view each, what they filter by, and the figures that they export."""
