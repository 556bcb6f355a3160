"""Kafka on this machine for development: one real broker, or three nodes with TLS, passwords and access rules."""
