"""Table events: their vocabulary, their canonical bytes, and the logs that keep them."""
