"""Errors that refuse the whole input before any line is appended."""


class IntakeError(Exception):
    """The input cannot be accepted as it is: says what was expected and what to do."""


class NoKeyring(IntakeError):
    """A card number is where a token belongs, and no keyring was named to make one."""
