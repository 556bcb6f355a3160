"""In a browser: the part of the library cryptography that checking a signature asks for."""
