"""The one loop: read the log, fold, adjudicate, commit the results."""
