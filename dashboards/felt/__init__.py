"""The felt on which a round is typed: one web component, for the pages and for a file of its own."""

ADDRESS = "felt.js"
"""Where the server has the felt, next to the pages."""
