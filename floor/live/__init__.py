"""A floor that plays by the clock: its devices hand in what they report when it happens, over HTTP."""
