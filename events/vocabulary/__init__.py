"""Events: their fields, their envelope, their canonical bytes, and how older versions are read."""
