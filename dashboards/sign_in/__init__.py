"""The house's own sign-in, for a house without an identity provider, served by the pages' server."""
