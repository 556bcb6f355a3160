"""What people do with a shadow: see what it changes, and adopt it."""
