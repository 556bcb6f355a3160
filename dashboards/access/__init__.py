"""Access: who may see which page, and which names a page shows."""
