"""The games in columns, one file each: row schema, row writer, outcome names. `seven_cards.py` has what its games share."""
