"""Everything that runs at a property, at once and on this machine (`rack live`)."""
