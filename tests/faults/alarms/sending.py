"""The sender of alarms killed, and receivers that are down, answer with errors, hang or answer without end."""

import random
import shutil
import signal
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from desk.alarms.outbox import Outbox
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.replayer import replay
from tests.desk.alarms.receiving import SECRET_LINE, Behavior, Receiver, answer, drip, hang, receiver
from tests.faults.floor import LOG_ID, PROPERTY
from tests.faults.processes import WAIT_LIMIT_S, Child
from tests.faults.table import Lost, demand, fault
from tests.replay.tables import UNPAID, Table

POINTS = ("message-tried", "before-delivered", "delivered", "before-taking", "taken")
"""Steps of sending at which it dies; every other time it is killed from outside, whatever it does just then."""
ROUNDS = 3
"""This many rounds, each with an incident, are judged while a sender is at work."""

SETTINGS = """
form = "discard-rack alarms 1"
[role]
desk = [{names}]
[[route]]
to = "desk"
"""
RECEIVER = """
[receiver.{name}]
url = "http://127.0.0.1:{port}/alarms"
secret_file = "secret"
timeout_s = {patience_s}
"""


class Floor:
    """A table in a log of its own, each of whose rounds has one incident, and the settings of its alarms."""

    def __init__(self, folder: Path, **ports: int) -> None:
        self.folder, self.path = folder, folder / "floor.db"
        self._table, self._stored, self.rounds = Table(), 0, 0
        text = SETTINGS.format(names=", ".join(f'"{name}"' for name in ports))
        text += "".join(
            RECEIVER.format(name=name, port=port, patience_s=1 if name == "bad" else 60) for name, port in ports.items()
        )
        for name, content in (("alarms.toml", text), ("secret", SECRET_LINE)):
            (folder / name).touch(0o600)
            (folder / name).write_text(content)

    def play(self, rounds: int) -> None:
        """Play and judge rounds."""
        for _ in range(rounds):
            self.rounds += 1
            self._table.play(self.rounds, UNPAID)
        with ExitStack() as resources:
            log = SqliteLog(self.path, create=True, property_id=PROPERTY, log_id=LOG_ID)
            resources.enter_context(closing(log))
            results = resources.enter_context(closing(SqliteResults(Path(f"{self.path}.verdicts"))))
            log.append(self._table.stream, self._stored + 1, self._table.drafts[self._stored :])
            self._stored = len(self._table.drafts)
            replay(log, results)

    def sender(self, *words: str) -> Child:
        return Child("alarms", f"sqlite://{self.path}", str(self.folder), *words)

    def taken_in(self) -> int:
        """How many alarms there are."""
        with Outbox(Path(f"{self.path}.alarms"), read_only=True) as outbox:
            return len(outbox.alarms())

    def waiting(self, name: str) -> int:
        """How many messages wait for a receiver."""
        with Outbox(Path(f"{self.path}.alarms"), read_only=True) as outbox:
            return sum(letter.receiver == name for letter in outbox.letters("waiting"))


@fault(
    "alarms",
    "sender of alarms killed",
    how="kill -9 of `rack alerts send` at a step of taking in or delivering or at a random moment, up to three times, while "
    "rounds with incidents are judged",
    held="the receiver gets each alarm, repeats with the same key and bytes; then it ends in order",
    quick=3,
    often=50,
)
def sender_killed(folder: Path, times: int) -> int:
    for turn in range(times):
        place, rng = folder / str(turn), random.Random(turn)
        place.mkdir()
        with receiver() as there:
            floor = Floor(place, desk=there.server_port)
            floor.play(ROUNDS)
            for killing in killings(turn, rng):
                with closing(floor.sender(*(["--die", killing] if killing else []))) as sender:
                    floor.play(ROUNDS)
                    if not killing:
                        sender.until("alarms")
                        time.sleep(rng.uniform(0.0, 0.6))
                        sender.process.kill()
                    status = sender.end()
                    demand(status == -9, f"the sender did not die {killing}: {status}, {sender.told[-3:]}")
            with closing(floor.sender()) as sender:
                until_told(floor, "desk", there)
                end(sender)
            check(floor, there)
        shutil.rmtree(place)
    return times


def killings(turn: int, rng: random.Random) -> list[str]:
    """Return at which steps the sender dies, one time after the other; empty: from outside, at any moment."""
    if turn % 2 == 0:
        return [f"{POINTS[turn // 2 % len(POINTS)]}:{rng.randint(1, 2)}"]
    return [""] * rng.randint(1, 3)


def down(there: Receiver, ended: threading.Event) -> Behavior:
    """Close the connection without a word."""
    return lambda handler: handler.connection.close()


KINDS: tuple[Callable[[Receiver, threading.Event], Behavior], ...] = (
    lambda there, ended: answer(500),
    lambda there, ended: hang(ended),
    lambda there, ended: drip(ended),
    lambda there, ended: answer(302, Location=there.url),
    down,
)


@fault(
    "alarms",
    "receiver of alarms that fails",
    how="one of two receivers answers 500, hangs, answers a byte at a time, redirects, or closes the connection, until mended",
    held="the other receiver gets each alarm meanwhile; the mended one each alarm once, by its key",
    quick=5,
    often=50,
)
def receiver_fails(folder: Path, times: int) -> int:
    for turn in range(times):
        place, ended = folder / str(turn), threading.Event()
        place.mkdir()
        with ExitStack() as resources:
            good, bad = resources.enter_context(receiver()), resources.enter_context(receiver())
            resources.callback(ended.set)
            floor = Floor(place, good=good.server_port, bad=bad.server_port)
            floor.play(ROUNDS)
            bad.behavior = KINDS[turn % len(KINDS)](bad, ended)
            sender = resources.enter_context(closing(floor.sender()))
            until_told(floor, "good", good)
            demand(floor.waiting("bad") == ROUNDS, f"of {ROUNDS} messages {floor.waiting('bad')} wait for who took none")
            bad.behavior = answer(204)
            ended.set()
            until_told(floor, "bad", bad)
            end(sender)
            check(floor, good)
            check(floor, bad)
        shutil.rmtree(place)
    return times


def until_told(floor: Floor, name: str, there: Receiver) -> None:
    """Wait until a receiver was told of every round. Raises `Lost` if nothing waits for it and it was not."""
    deadline = time.monotonic() + WAIT_LIMIT_S
    while len(there.taken) < floor.rounds:
        demand(time.monotonic() < deadline, f"{name} was told of {len(there.taken)} of {floor.rounds} incidents")
        if there.got and floor.taken_in() == floor.rounds and not floor.waiting(name):  # so that all was delivered
            told = len(there.taken)
            demand(told == floor.rounds, f"nothing waits for {name}, which was told of {told} of {floor.rounds} incidents")
        time.sleep(0.05)
    while floor.waiting(name):
        demand(time.monotonic() < deadline, f"what {name} took goes on waiting")
        time.sleep(0.05)


def end(sender: Child) -> None:
    """Tell a sender to end, once it can hear that."""
    sender.until("sending")
    sender.process.send_signal(signal.SIGTERM)
    status = sender.end()
    if status != 0:
        raise Lost(f"the sender did not end in order: {status}, {sender.told[-3:]}")


def check(floor: Floor, there: Receiver) -> None:
    """Raise `Lost` unless each round's incident came under one key, signed, and each repeat with the same content."""
    demand(there.forged == 0, f"{there.forged} messages were not signed rightly")
    by_key = {message["key"]: message for message in there.got}
    rounds = sorted(message["alarm"]["round"] for message in by_key.values())
    demand(rounds == list(range(1, floor.rounds + 1)), f"told of the rounds {rounds}, of {floor.rounds}")
    demand(all(by_key[message["key"]] == message for message in there.got), "a repeat says something else")
