"""A house and its people: the property from a file, what its office files, what the pit and the count room enter."""
