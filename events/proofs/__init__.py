"""Signed checkpoints, Merkle proofs, witnesses and keys, and the verification of a whole log."""
