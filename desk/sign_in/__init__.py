"""The sign-in of a house without an identity provider: who may come in, and by what."""
