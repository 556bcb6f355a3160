"""The warehouse: a DuckDB file built from the results and the log."""
