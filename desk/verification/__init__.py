"""The verification of a log, for commands and pages."""
