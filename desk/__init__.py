"""The work of people on verdicts: review, alarms, packets, reports."""
