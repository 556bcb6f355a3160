"""A process to be killed, stopped or cut off: `python -m tests.faults.child write|replay|member ADDRESS FOLDER …`.

A writer says `acknowledged N` after each group; a replayer says `judged N` after each batch. With `--die POINT:N` the process
kills itself (SIGKILL) when it comes to a point for the N-th time; see `POINTS`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from events.errors import EventError, LogUnavailable, SecondWriter
from events.kafka.client import TransactionalWriter
from events.kafka.consumer_group import KafkaGroup
from events.kafka.log import KafkaLog, KafkaResults
from events.log.contract import EventLog, ResultStore
from events.log.high_water import HighWater
from events.log.turn import Turns
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.envelope import Draft
from replay.run import replayer
from replay.run.engine import engine
from replay.run.partition_member import follow_group
from replay.run.replayer import Replay
from tests.faults.floor import LOG_ID, PROPERTY, groups

TIMEOUT_S = 4.0
PATIENCE_S = 60.0
REFUSED = 5
"""Exit code of a process that another has taken over from."""

POINTS: dict[str, tuple[type, str, bool]] = {
    "before-send": (TransactionalWriter, "_write", False),
    "in-transaction": (TransactionalWriter, "_prepare", False),
    "before-answer": (TransactionalWriter, "_commit", False),
    "before-mark": (HighWater, "record", False),
    "before-telling": (HighWater, "record", True),
    "in-line": (Turns, "_stand_in_line", True),
    "turn-unsigned": (Turns, "_is_in_place", True),
    "turn-taken": (Turns, "take", True),
    "caught-up": (SqliteLog, "_begin_turn", True),
    "room-made": (HighWater, "reserve", True),
    "staged": (SqliteLog, "_stage", True),
    "handing-over": (Turns, "give_back", False),
    "handed-over": (Turns, "give_back", True),
}
"""Where a process can die: class, method, and whether after it. `in-transaction`: when the broker has all its records."""

TURN = (
    "in-line", "turn-unsigned", "turn-taken", "caught-up", "room-made", "staged", "before-mark", "before-telling",
    "handing-over", "handed-over",
)  # fmt: skip
"""Every step of a writer's turn at a log on one machine."""


def end_at(point: str, times: int, how: signal.Signals) -> None:
    """Make this process kill, or stop, itself when it comes to a point for so many times."""
    owner, name, after = POINTS[point]
    real: Callable[..., Any] = getattr(owner, name)
    left = times

    def ending(self: Any, *given: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        result = real(self, *given, **named) if after else None
        if left == 0:
            if point == "in-transaction":
                self._producer.flush(TIMEOUT_S)
            os.kill(os.getpid(), how)
        return result if after else real(self, *given, **named)

    setattr(owner, name, ending)


def open_log(address: str, folder: Path, *, read_only: bool = False) -> EventLog:
    if address.startswith("kafka:"):
        return KafkaLog(address, state_dir=folder, timeout_s=TIMEOUT_S, read_only=read_only)
    return SqliteLog(address, read_only=read_only, create=not read_only, property_id=PROPERTY, log_id=LOG_ID)


def open_results(address: str, folder: Path) -> ResultStore:
    if address.startswith("kafka:"):
        return KafkaResults(address, timeout_s=TIMEOUT_S)
    return SqliteResults(folder / "verdicts")


def tell(text: str) -> None:
    os.write(1, text.encode() + b"\n")


def write(
    address: str, folder: Path, first: int, last: int, pause_s: float, handed: Sequence[tuple[str, list[Draft]]]
) -> None:
    """Hand in groups from one number to another, each until it is acknowledged."""
    patience = time.monotonic() + PATIENCE_S
    log: EventLog | None = None
    number = first
    while number < min(last, len(handed)):
        try:
            log = log or open_log(address, folder)
            log.append_groups([handed[number]])
        except SecondWriter:
            raise
        except LogUnavailable:
            if time.monotonic() > patience:
                raise
            if log is not None and not address.startswith("kafka:"):
                log.close()
                log = None
            time.sleep(0.2)
            continue
        number += 1
        tell(f"acknowledged {number}")
        time.sleep(pause_s)
    if log is not None:
        log.close()


def judge(address: str, folder: Path, follow: bool) -> None:
    """Judge the log, in small steps; with `follow` for ever."""
    replayer.COMMIT_EVERY = 7
    log, results = open_log(address, folder, read_only=True), open_results(address, folder)
    for summary in Replay(log, results).run(0.2 if follow else None):
        tell(f"judged {summary.events}")
    results.close()
    log.close()


def share(address: str, folder: Path) -> None:
    """Judge the log as a member of a group, for ever."""
    with closing(KafkaGroup(address, "floor", engine(), timeout_s=TIMEOUT_S, session_s=6.0, state_dir=folder)) as group:
        for shared in follow_group(group):
            tell(f"judged {shared}"[:200])


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.faults.child", description=__doc__)
    parser.add_argument("command", choices=["write", "replay", "member"])
    parser.add_argument("address")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1 << 30)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="", help="hand in the groups of this stream alone")
    parser.add_argument("--die", default="")
    parser.add_argument("--stop", default="")
    parser.add_argument("--follow", action="store_true")
    options = parser.parse_args()
    for place, how in ((options.die, signal.SIGKILL), (options.stop, signal.SIGSTOP)):
        if place:
            point, _, times = place.partition(":")
            end_at(point, int(times), how)
    try:
        if options.command == "write":
            handed = [group for group in groups(options.rounds) if options.only in ("", group[0])]
            write(options.address, options.folder, options.first, options.last, options.pause, handed)
        elif options.command == "member":
            share(options.address, options.folder)
        else:
            judge(options.address, options.folder, options.follow)
    except SecondWriter as error:
        tell(f"refused {error}")
        return REFUSED
    except (EventError, LogUnavailable) as error:
        tell(f"failed {type(error).__name__}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
