"""Events of a table, in the order of its stream, become rounds of play and the state of the table between them."""
