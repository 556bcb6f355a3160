"""The verification of a log, as a person asks for it and as the pages show it."""
