"""The error of a signature that is not one."""


class InvalidSignature(Exception):
    """The signature is not that key's, of that message."""
