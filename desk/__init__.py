"""What people do with verdicts: review, alarms, packets, reports."""
