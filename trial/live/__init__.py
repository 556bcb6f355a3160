"""All processes of a property, together on this machine (`rack live`)."""
