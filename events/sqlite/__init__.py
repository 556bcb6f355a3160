"""A log, its results and its checkpoints in SQLite files, for one machine."""
