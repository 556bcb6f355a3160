"""Intake: reported lines become drafts for the log, or go to quarantine. Who may write what, and the tokens of patrons."""
