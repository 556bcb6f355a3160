"""The sign-in of our own, for a house without an identity provider, served by the server of the pages."""
