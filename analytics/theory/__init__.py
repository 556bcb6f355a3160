"""The exact return of every wager and paytable."""
