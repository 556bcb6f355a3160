"""Measurements, each beside a named peer in the same run: `python -m benchmarks` writes results.json and docs/benchmarks.md."""
