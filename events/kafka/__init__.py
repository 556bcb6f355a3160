"""A log, its results and its checkpoints in Kafka topics, for a property."""
