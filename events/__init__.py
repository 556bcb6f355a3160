"""What happened at the tables: the vocabulary of events, their canonical bytes, and the logs that keep them."""
