"""The review of findings and disputes: the desk that writes its events, and the resulting state."""
