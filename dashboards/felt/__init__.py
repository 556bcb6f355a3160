"""The felt for typing a round: one web component, for the pages and for a file of its own."""

ADDRESS = "felt.js"
"""The address of the felt on the pages' server."""
