"""Commands that record and judge."""
