"""What `rack verify` works with: the check of a file alone, the result as one value, and the report of it."""
