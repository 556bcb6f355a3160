"""The felt for typing a round: one web component, for the pages and for a file of its own."""

ADDRESS = "felt.js"
"""Where the server has the felt, next to the pages."""
