"""The command line and the shared parts of its commands; `commands/` has a file for each."""
