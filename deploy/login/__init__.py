"""A login to try the pages with."""
