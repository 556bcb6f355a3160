"""Commands for proofs and archives."""
