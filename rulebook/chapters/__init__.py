"""Chapters of the regulation as dated, cited data, and the rules submissions that choose among them."""
