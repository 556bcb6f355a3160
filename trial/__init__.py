"""A simulated property as a whole: the demo, and the floor that plays by the clock (`rack live`)."""
