"""The pages: they arrange what `analytics` answers, and draw a round as it lay on the table."""
