"""Benchmarks, each next to a named peer in the same run: `python -m benchmarks` writes results.json and docs/benchmarks.md."""
