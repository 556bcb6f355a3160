"""Alarms: what leaves the house when a verdict finds an incident, to whom, and until when. `docs/alarms.md` describes it."""
