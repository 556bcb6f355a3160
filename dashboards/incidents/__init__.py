"""The queue: its list, its views, and what is done about several incidents at once."""
