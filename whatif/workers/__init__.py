"""Work on a whole history in several processes: on this machine, or on a Dask cluster (docs/batch.md).

`pool` defines jobs and pools, and has the pool of this process alone; `processes` and `cluster` have the others; `streams`
re-judges a log stream by stream in any pool.
"""
