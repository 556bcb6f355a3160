"""Three real nodes that are killed, paused, emptied and moved about, and what is counted afterward."""
