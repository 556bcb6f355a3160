"""Builds without a defense, on which an attack succeeds: what shows that each row of the fault table can fail."""
