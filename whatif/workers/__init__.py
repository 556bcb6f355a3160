"""Work on a whole history in several processes: of this machine, or of a Dask cluster (docs/batch.md).

`pool` says what a job and a pool are, and has the pool of this process alone; `processes` and `cluster` have the others;
`streams` re-judges a log stream by stream in whichever pool it is given.
"""
