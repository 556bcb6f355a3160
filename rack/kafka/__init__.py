"""Kafka for whoever runs a floor: a real broker on this machine to develop with, and the access rules of a log's users."""
