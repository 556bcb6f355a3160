"""What every wager and paytable returns, exactly."""
