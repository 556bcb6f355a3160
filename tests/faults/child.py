"""A process to be killed, stopped or cut off: `python -m tests.faults.child COMMAND ADDRESS FOLDER` (see `main`).

A writer says `acknowledged N` after each group; a replayer says `judged N` after each batch; who signs says `signed SIZE ROOT`
after each checkpoint. With `--die POINT:N` the process kills itself (SIGKILL) when it comes to a point for the N-th time, with
`--halt POINT:N` it says `reached POINT` and stops itself (SIGSTOP); see `POINTS`. With `--impostors` a writer also hands in
what must be refused.
"""

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import Any

from desk.alarms import outbox
from desk.alarms.outbox import Outbox
from desk.alarms.sender import Sender
from desk.review.desk import desk_at
from desk.transcript_entry import Observer, enter_transcript
from events.errors import EventError, LogUnavailable, SecondWriter, WrongSequence
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import TopicReader
from events.kafka.consumer_group import KafkaGroup
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.transactions import TransactionalWriter
from events.log.clock import utc_now_us
from events.log.contract import EventLog, ResultStore
from events.log.high_water import HighWater
from events.log.turn import Turns
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import read_signer
from events.proofs.signing_memory import SigningMemory
from events.sqlite import results as sqlite_results
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from rack.settings import kafka_security
from replay.run import replayer
from replay.run.engine import engine
from replay.run.partition_member import follow_group
from replay.run.replayer import Replay
from tests.desk.people import PEOPLE
from tests.faults.floor import LOG_ID, PROPERTY, groups, impostor, tables
from tests.faults.processes import BUILD
from tests.replay.another_engine import installed

ADOPT = (
    "verdicts",
    "adopt",
    "next",
    "--by",
    "m.ortiz",
    "--signed-by",
    "s.kane",
    "--reason",
    "read § 688a.12(b) again",
    "--quiet",
)
TIMEOUT_S = 4.0
WAIT_LIMIT_S = 60.0
ENTRY = """
wager   seat=3 base 25.00
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
take    seat=3 base 25.00
"""
"""A round as a person types it."""
REFUSED = 5
"""Exit code of a process that another has taken over from."""

POINTS: dict[str, tuple[Any, str, bool]] = {
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
    "before-offset": (TopicReader, "keep", False),
    "after-offset": (TopicReader, "keep", True),
    "message-tried": (Outbox, "tried", True),
    "before-delivered": (Outbox, "delivered", False),
    "delivered": (Outbox, "delivered", True),
    "before-taking": (Outbox, "record_results", False),
    "taken": (Outbox, "record_results", True),
    "adopting": (SqliteLog, "append", False),
    "before-results": (SqliteResults, "commit", False),
    "results-in-transaction": (sqlite_results, "_store_records", True),
    "results-stored": (SqliteResults, "commit", True),
    "before-memory": (SigningMemory, "record", False),
    "before-store": (SigningMemory, "record", True),
    "before-signed-mark": (HighWater, "acknowledge", False),
    "before-telling-signed": (HighWater, "acknowledge", True),
}
"""Where a process can die: class or module, function, and whether after it. `in-transaction`: the broker has all records."""

TURN = (
    "in-line", "turn-unsigned", "turn-taken", "caught-up", "room-made", "staged", "before-mark", "before-telling",
    "handing-over", "handed-over",
)  # fmt: skip
"""Every step of a writer's turn at a log on one machine."""


def signal_at(point: str, times: int, number: int) -> None:
    """Make this process send itself a signal when it comes to a point for this many times."""
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
            if number == signal.SIGSTOP:
                tell(f"reached {point}")
            os.kill(os.getpid(), number)
        return result if after else real(self, *given, **named)

    setattr(owner, name, ending)


def open_log(address: str, folder: Path, *, read_only: bool = False) -> EventLog:
    if address.startswith("kafka:"):
        return KafkaLog(address, state_dir=folder, timeout_s=TIMEOUT_S, read_only=read_only, security=kafka_security())
    return SqliteLog(address, read_only=read_only, create=not read_only, property_id=PROPERTY, log_id=LOG_ID)


def open_results(address: str, folder: Path) -> ResultStore:
    if address.startswith("kafka:"):
        return KafkaResults(address, state_dir=folder, timeout_s=TIMEOUT_S, security=kafka_security())
    return SqliteResults(folder / "verdicts")


def tell(text: str) -> None:
    os.write(1, text.encode() + b"\n")


def write(options: argparse.Namespace) -> None:
    """Hand in groups from one number to another, each until it is acknowledged."""
    address, folder, first, last = options.address, options.folder, options.first, options.last
    handed = [group for group in groups(options.rounds) if options.only in ("", group[0])]
    patience = time.monotonic() + options.patience
    log: EventLog | None = None
    number = first
    while number < min(last, len(handed)):
        try:
            log = log or open_log(address, folder)
            if options.impostors:
                turn_away(log, number)
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
        time.sleep(options.pause)
    if log is not None:
        log.close()


def turn_away(log: EventLog, number: int) -> None:
    """Hand in an event at a number that is not the stream's next: it is refused, and must never be found."""
    table = impostor()
    try:
        log.append(table.stream, 100 + number, table.drafts[number : number + 1])
    except WrongSequence:
        return
    raise AssertionError("an event was taken at a number that is not the stream's next")


def enter(address: str) -> None:
    """Store a round that a person typed, as the page does."""
    observer = Observer(table="fu-01", day=tables()[0].day, by="m.ortiz", basis="video", camera="cam-4")
    with desk_at(address, persons=PEOPLE, needs_results=False) as at:
        tell("entering")
        list(enter_transcript(at, ENTRY, "the entry", lambda name: "", observer))
    tell("stored")


def adopt(address: str, folder: Path) -> int:
    """Adopt the shadow of another engine in two names, and put it in force; shadow and register are in a folder."""
    from rack.cli import main as rack
    from rack.commands.judging import verdicts

    verdicts.AT_WORK_S = 0.0

    os.chdir(folder)
    with installed():
        return rack([*ADOPT, "--log", address])


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
    with closing(
        KafkaGroup(address, "floor", engine(), timeout_s=TIMEOUT_S, session_s=6.0, state_dir=folder, security=kafka_security())
    ) as group:
        for shared in follow_group(group):
            tell(f"judged {shared}"[:200])


def sign(address: str, folder: Path, key: Path, times: int) -> None:
    """Sign this many checkpoints, one after the other, each time from the log and the store as they are."""
    with ExitStack() as resources:
        log = resources.enter_context(closing(open_log(address, folder, read_only=True)))
        options = {"state_dir": folder, "timeout_s": TIMEOUT_S, "security": kafka_security()}
        store = resources.enter_context(closing(KafkaCheckpoints(address, log_id=LOG_ID, **options)))
        checkpointer = Checkpointer(log, store, read_signer(key), SigningMemory(key, LOG_ID), clock=utc_now_us)
        for _ in range(times):
            checkpointer.read()
            checkpoint = checkpointer.sign()
            tell(f"signed {checkpoint.size} {checkpoint.root.hex()}")


def serve(options: argparse.Namespace) -> int:
    """Serve devices until told to end, as the build that the environment names."""
    from rack.cli import main as rack
    from tests.faults.broken.gateway import BUILDS

    arguments = ["gateway", "--log", options.address, "--property", PROPERTY, "--no-auth", "--quiet"]
    arguments += ["--listen", f"127.0.0.1:{options.port}", *(["--raw", options.raw] if options.raw else [])]
    with BUILDS.get(os.environ.get(BUILD, ""), nullcontext)():
        return rack(arguments)


def alarm(address: str) -> int:
    """Send alarms until told to end, as the build that the environment names; failures are tried again soon."""
    from rack.cli import main as rack
    from tests.faults.broken.alarms import BUILDS

    tell("alarms")
    outbox.FIRST_WAIT_US = outbox.LONGEST_WAIT_US = 100_000
    run = Sender.run

    def said(self: Sender, ended: threading.Event) -> None:
        tell("sending")
        run(self, ended)

    Sender.run = said
    with BUILDS.get(os.environ.get(BUILD, ""), nullcontext)():
        return rack(["alerts", "send", "--past", "--log", address, "--quiet"])


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.faults.child", description=__doc__)
    parser.add_argument("command", choices=["write", "replay", "member", "sign", "gateway", "alarms", "enter", "adopt"])
    parser.add_argument("address")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int, default=1 << 30)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", default="", help="hand in the groups of this stream alone")
    parser.add_argument("--patience", type=float, default=WAIT_LIMIT_S)
    parser.add_argument("--impostors", action="store_true")
    parser.add_argument("--key", type=Path)
    parser.add_argument("--times", type=int, default=6)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--raw", default="")
    parser.add_argument("--die", default="")
    parser.add_argument("--halt", default="")
    parser.add_argument("--follow", action="store_true")
    options = parser.parse_args()
    for given, number in ((options.die, signal.SIGKILL), (options.halt, signal.SIGSTOP)):
        if given:
            point, _, times = given.partition(":")
            signal_at(point, int(times), number)
    try:
        if options.command == "write":
            write(options)
        elif options.command == "gateway":
            return serve(options)
        elif options.command == "alarms":
            return alarm(options.address)
        elif options.command == "adopt":
            return adopt(options.address, options.folder)
        elif options.command == "enter":
            enter(options.address)
        elif options.command == "sign":
            sign(options.address, options.folder, options.key, options.times)
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
