"""The sign-in of a house without an identity provider."""
