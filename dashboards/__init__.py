"""The pages: they arrange the answers of `analytics`, and draw a round as it lay on the table."""
