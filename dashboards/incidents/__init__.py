"""The queue: its list, its views, and actions on several incidents at once."""
