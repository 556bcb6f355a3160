"""Commands that prove and keep."""
