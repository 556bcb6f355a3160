"""Commands that analyze and watch."""
