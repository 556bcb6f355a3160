"""Drop, win, hold and pace, and actual against theoretical."""
