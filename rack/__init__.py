"""The command line: simulate, ingest, replay, judge, verify, show."""
