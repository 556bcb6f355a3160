"""The rows of the fault table about alarms: the sender and the receivers."""
