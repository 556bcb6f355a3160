"""The command line, and what its commands share; `commands/` has a file for each."""
