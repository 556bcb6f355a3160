"""The survey: every field of every event on record is edited, and every edit must be noticed or explained."""
