"""Archives: closed gaming days in sealed files that prove themselves."""
