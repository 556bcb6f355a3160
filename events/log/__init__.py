"""The contract of a log, and the shared parts of every log: numbers, the hash chain, the high-water mark."""
