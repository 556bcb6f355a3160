"""Cards, dice, tables and charts as pictures, and small pieces of HTML: pure functions."""
