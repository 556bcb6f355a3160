"""The contract of a log, and what every log does alike: numbers, the hash chain, the high-water mark."""
