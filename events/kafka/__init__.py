"""Kafka topics that hold a property's log, its results and its checkpoints."""
