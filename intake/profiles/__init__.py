"""Profiles of devices: how what a vendor's device says becomes events of the vocabulary."""
