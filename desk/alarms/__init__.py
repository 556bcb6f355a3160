"""Alarms: messages about incidents to people and systems outside. `docs/alarms.md` describes them."""
