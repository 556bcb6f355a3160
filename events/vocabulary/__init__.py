"""What an event is: its fields, its envelope, its canonical bytes, and how older versions are read."""
