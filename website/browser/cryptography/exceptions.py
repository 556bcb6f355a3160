"""The error of an invalid signature."""


class InvalidSignature(Exception):
    """The signature does not fit the key and the message."""
