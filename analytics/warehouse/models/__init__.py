"""The models of the warehouse, in SQL: each declares its grain in its first line."""
