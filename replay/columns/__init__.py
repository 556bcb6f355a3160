"""Judging history in columns: the round table, screening, batch replay and what-if.

A reader who is looking for the rules can skip this room: every rule of play stands in `replay.rules`, `replay.settlement` and
`games`, and event replay judges every round that there is. This room is a faster way to the same verdicts. It writes rounds as
rows of numbers, settles whole columns of them, and upholds a round only where event replay upholds it, with the same bytes. It
never makes a finding: what it does not uphold goes to event replay (docs/batch.md).

The door. Outside this room, import from these files only:

* `round_table`: `build` derives the table from a log, `RoundTable` opens it, `Manifest` says what it consists of
* `batch`: `replay_batch` judges a log by its table; `what_if`: settles a history by replacement rules
* `row_groups`, `process_engine`, `dask_engine`: the engines that run this work in one process, in several, on a cluster
* `table_check`: `differences` compares a table with its log
* `catalogue` and `game_columns`: `add_columns` adds a game, described by a `GameColumns` record

Inside. Everything is pure but for the files marked with *, which read the log or read and write files:

* a game's own: `games` (row schema, row writer, outcome names) and `kernels` (compiled settlement and checks), one file each
* a round becomes a row: `row_schemas`, `ordinary_course`, `row_writer`, `round_table`*, `table_check`*
* rows become verdicts: `screening`, `adjudication_writer`, `row_groups`*, `row_replayer`*, `batch`*, `what_if`*, the engines*
"""
