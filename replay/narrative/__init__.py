"""The one place where a verdict becomes a sentence: pages, packet and commands print what is here."""
