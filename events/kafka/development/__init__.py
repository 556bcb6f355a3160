"""Kafka on this machine to develop with: one real broker, or three nodes with TLS, passwords and access rules."""
