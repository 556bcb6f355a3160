"""What several pages share, or what is large enough for a file of its own."""
