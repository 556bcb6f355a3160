"""The judge in a browser: a folder of static files, and one file that opens by a double click."""
