"""Bad input: whatever the bytes, a reader says what is wrong and where, or reads what they say. No crash, no hang."""
