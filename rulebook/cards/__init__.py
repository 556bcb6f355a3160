"""Cards, and the rankings of the hands made of them."""
