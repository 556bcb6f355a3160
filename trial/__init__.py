"""A simulated property that is played as a whole: the demo, and the floor that plays by the clock (`rack live`)."""
