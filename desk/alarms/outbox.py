"""The outbox: the alarms, the messages due to each receiver with their attempts, and how far the results were read.

Invariant: the changes of alarms by a verdict or advice, their messages, and how far results were read are one transaction. A
sender can be killed at any moment: nothing is lost or entered twice. A message is recorded as tried before it is sent and as
delivered afterward; a process that dies in between sends it again under the same key. One process sends.
"""

import os
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Literal

import msgspec

from desk.alarms.alarm import Alarm, AlarmStatus, Change, Message, What, to_body
from events.log.contract import Head
from events.log.lock import take_lock
from events.open import parse_address
from events.sqlite.database import Database

BESIDE = ".alarms"
"""The outbox of a log on SQLite is kept next to it, under the log's name and this."""
DAY_US = 24 * 3_600 * 1_000_000
"""The time during which a message is attempted; then it is a dead letter."""
FIRST_WAIT_US, LONGEST_WAIT_US = 5_000_000, 900_000_000
"""The wait after a failed attempt: it doubles each time, up to a quarter of an hour."""

State = Literal["waiting", "delivered", "dead"]
STATES: Final[tuple[State, ...]] = ("waiting", "delivered", "dead")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS log (log_id TEXT PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS places (stream TEXT PRIMARY KEY, place INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS past (stream TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS alarms (alarm TEXT PRIMARY KEY, stream TEXT NOT NULL, about TEXT NOT NULL, revision INTEGER NOT NULL,
                                   withdrawn INTEGER NOT NULL, raised_us INTEGER NOT NULL, acknowledged_by TEXT,
                                   data BLOB NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS alarms_by_round ON alarms (stream, about);
CREATE TABLE IF NOT EXISTS advised (stream TEXT PRIMARY KEY, about TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS steps (alarm TEXT NOT NULL, after_min INTEGER NOT NULL, role TEXT NOT NULL, due_us INTEGER NOT NULL,
                                  done INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (alarm, after_min, role)) STRICT;
CREATE INDEX IF NOT EXISTS steps_due ON steps (due_us) WHERE done = 0;
CREATE TABLE IF NOT EXISTS messages (place INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, alarm TEXT NOT NULL,
                                     receiver TEXT NOT NULL, what TEXT NOT NULL, body BLOB NOT NULL, state TEXT NOT NULL,
                                     made_us INTEGER NOT NULL, due_us INTEGER NOT NULL, tries INTEGER NOT NULL,
                                     tried_us INTEGER, said TEXT NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS messages_waiting ON messages (receiver, alarm, place) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS messages_of_alarm ON messages (alarm, receiver);
CREATE TABLE IF NOT EXISTS receivers (receiver TEXT PRIMARY KEY, silent INTEGER NOT NULL, held_until_us INTEGER NOT NULL,
                                      said TEXT NOT NULL) STRICT;
"""
_NEXT = """
SELECT m.key, m.alarm, m.receiver, m.what, m.body, m.state, m.made_us, m.due_us, m.tries, m.tried_us, m.said
FROM messages AS m LEFT JOIN receivers AS r ON r.receiver = m.receiver
WHERE m.state = 'waiting' AND m.receiver = ?1 AND m.due_us <= ?2 AND coalesce(r.held_until_us, 0) <= ?2
  AND NOT EXISTS (SELECT 1 FROM messages AS e WHERE e.receiver = m.receiver AND e.alarm = m.alarm AND e.state = 'waiting'
                                                AND e.place < m.place)
ORDER BY m.place LIMIT 1
"""


class OutboxRefused(Exception):
    """The outbox cannot be used for this; the message says what to do."""


class Letter(msgspec.Struct, frozen=True, kw_only=True):
    """A message in the outbox; times are UTC microseconds, `said` is the last answer or why there was none."""

    key: str
    alarm: str
    receiver: str
    what: What
    body: bytes
    state: State
    made_us: int
    due_us: int
    tries: int
    tried_us: int | None
    said: str


class AlarmUpdate(msgspec.Struct, frozen=True, kw_only=True):
    """A change of an alarm by a result or advice: its round (`#7`) or finding, its messages, its escalation (minutes, role)."""

    change: Change
    about: str
    messages: list[tuple[str, Message]]
    steps: list[tuple[int, str]]


class DueStep(msgspec.Struct, frozen=True, kw_only=True):
    """A due step of an escalation."""

    standing: AlarmStatus
    after_min: int
    role: str


def outbox_beside(address: str) -> Path | None:
    """Return the path of a log's outbox, whether it exists or not; None if the log is not on SQLite.

    >>> outbox_beside("sqlite:///srv/floor.db")
    PosixPath('/srv/floor.db.alarms')
    """
    backend, place = parse_address(address)
    return Path(place + BESIDE) if backend == "sqlite" else None


class Outbox:
    """The outbox in a file. Raises `SecondWriter` if another process is `sending`, `LogUnavailable` if it cannot be used."""

    def __init__(self, path: Path, *, sending: bool = False, read_only: bool = False) -> None:
        self._resources = ExitStack()
        self.path = Path(os.path.realpath(path))
        with ExitStack() as resources:
            if sending:
                resources.callback(os.close, take_lock(self.path))
            elif not self.path.is_file():
                raise OutboxRefused(f"{self.path}: there is no outbox; rack alerts send makes it")
            self._database = Database(self.path, read_only=read_only)
            resources.callback(self._database.close)
            if not read_only:
                with self._database.transaction() as connection:
                    connection.execute(_SCHEMA)
            self._resources = resources.pop_all()

    def close(self) -> None:
        """Release everything."""
        self._resources.close()

    def __enter__(self) -> "Outbox":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------------------------------------------- results read

    def belongs_to(self, log_id: str) -> bool:
        """Return whether the outbox is new, and give it to this log. Raises `OutboxRefused` if it is another's."""
        with self._database.transaction() as connection:
            found = [name for (name,) in connection.execute("SELECT log_id FROM log")]
            if found and found != [log_id]:
                raise OutboxRefused(f"{self.path} belongs to the log {found[0]}, not to {log_id}; name another with --outbox")
            connection.execute("INSERT OR IGNORE INTO log VALUES (?)", (log_id,))
        return not found

    def begin_after(self, places: dict[str, Head], seqs: dict[str, int]) -> None:
        """Skip earlier findings: results up to these places, and rounds up to these numbers of their streams."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO places VALUES (?, ?, ?)", [(s, head.seq, head.hash) for s, head in places.items()]
            )
            connection.executemany("INSERT OR REPLACE INTO past VALUES (?, ?)", list(seqs.items()))

    def places(self) -> dict[str, Head]:
        """Return stream → the place of its last result that was read."""
        return {stream: Head(place, hash_) for stream, place, hash_ in self._database.rows("SELECT * FROM places")}

    def past(self) -> dict[str, int]:
        """Return stream → the last event before the outbox began; earlier ones raise no alarm."""
        return dict(self._database.rows("SELECT stream, seq FROM past"))

    def alarms_about(self, stream: str, about: str) -> list[AlarmStatus]:
        """Return the alarms of a round or of a finding between rounds, withdrawn ones too."""
        sql = "SELECT data, revision, withdrawn FROM alarms WHERE stream = ? AND about = ? ORDER BY raised_us, alarm"
        return [_status_of(*row) for row in self._database.rows(sql, stream, about)]

    def receivers_of(self, alarm: str) -> set[str]:
        """Return the receivers of an alarm's messages, sent or about to be."""
        return {name for (name,) in self._database.rows("SELECT DISTINCT receiver FROM messages WHERE alarm = ?", alarm)}

    def record_results(self, stream: str, place: Head, changed: Iterable[AlarmUpdate], now_us: int) -> None:
        """Store the changes of alarms by a stream's results up to a place."""
        note = "INSERT OR REPLACE INTO places VALUES (?, ?, ?)"
        self._record(stream, changed, now_us, note, (stream, place.seq, place.hash))

    def record_advice(self, stream: str, about: str, changed: Iterable[AlarmUpdate], now_us: int) -> None:
        """Store the changes of alarms by advice on a stream's open round, and that this round has advice."""
        self._record(stream, changed, now_us, "INSERT OR REPLACE INTO advised VALUES (?, ?)", (stream, about))

    def _record(self, stream: str, changed: Iterable[AlarmUpdate], now_us: int, note: str, noted: tuple[object, ...]) -> None:
        """Store the changed alarms, their escalation, the messages and a note, all or none."""
        with self._database.transaction() as connection:
            for each in changed:
                standing, alarm = each.change.standing, each.change.standing.alarm
                connection.execute(
                    "INSERT INTO alarms VALUES (?, ?, ?, ?, ?, ?, NULL, ?) ON CONFLICT (alarm) DO UPDATE SET "
                    "revision = excluded.revision, withdrawn = excluded.withdrawn, data = excluded.data",
                    (alarm.id, stream, each.about, standing.revision, standing.withdrawn, now_us, msgspec.json.encode(alarm)),
                )
                if standing.withdrawn:
                    connection.execute("UPDATE steps SET done = 1 WHERE alarm = ?", (alarm.id,))
                elif each.change.what == "raised":  # again, perhaps: then its steps begin again
                    connection.execute("DELETE FROM steps WHERE alarm = ?", (alarm.id,))
                connection.executemany(
                    "INSERT OR IGNORE INTO steps (alarm, after_min, role, due_us) VALUES (?, ?, ?, ?)",
                    [(alarm.id, minutes, role, now_us + minutes * 60_000_000) for minutes, role in each.steps],
                )
                connection.executemany(_PUT, [_row(alarm.id, name, message, now_us) for name, message in each.messages])
            connection.execute(note, noted)

    def advised(self, stream: str) -> str | None:
        """Return the stream's last round (`#7`) in which advice raised or changed an alarm, or None."""
        rows = self._database.rows("SELECT about FROM advised WHERE stream = ?", stream)
        return rows[0][0] if rows else None

    # --------------------------------------------------------------------------------------------------------- escalation

    def steps_due(self, now_us: int) -> list[DueStep]:
        """Return the due steps of alarms that no one acknowledged."""
        rows = self._database.rows(
            "SELECT data, revision, withdrawn, after_min, role FROM steps JOIN alarms USING (alarm) "
            "WHERE done = 0 AND due_us <= ? AND acknowledged_by IS NULL ORDER BY due_us, alarm, after_min, role",
            now_us,
        )
        return [DueStep(standing=_status_of(*row[:3]), after_min=row[3], role=row[4]) for row in rows]

    def escalate(self, step: DueStep, messages: Sequence[tuple[str, Message]], now_us: int) -> None:
        """Record a step as done, and add its messages."""
        alarm = step.standing.alarm.id
        with self._database.transaction() as connection:
            sql = "UPDATE steps SET done = 1 WHERE alarm = ? AND after_min = ? AND role = ?"
            connection.execute(sql, (alarm, step.after_min, step.role))
            connection.executemany(_PUT, [_row(alarm, name, message, now_us) for name, message in messages])

    def acknowledge(self, alarm: str, by: str) -> None:
        """Record who acknowledged an alarm, as read from the log: its escalation ends."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE alarms SET acknowledged_by = ? WHERE alarm = ?", (by, alarm))

    # ------------------------------------------------------------------------------------------------------------ sending

    def next_letter(self, receiver: str, now_us: int) -> Letter | None:
        """Return a receiver's next message; messages of one alarm keep their order."""
        rows = self._database.rows(_NEXT, receiver, now_us)
        return _letter(rows[0]) if rows else None

    def tried(self, key: str, now_us: int) -> None:
        """Record that a message is being sent."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE messages SET tries = tries + 1, tried_us = ? WHERE key = ?", (now_us, key))

    def delivered(self, letter: Letter, said: str) -> None:
        """Record a delivery; messages that waited for a silent receiver are due again."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE messages SET state = 'delivered', said = ? WHERE key = ?", (said, letter.key))
            connection.execute("INSERT OR REPLACE INTO receivers VALUES (?, 0, 0, ?)", (letter.receiver, said))

    def failed(self, letter: Letter, said: str, *, silent: bool, now_us: int, wait_us: int = 0) -> None:
        """Record a failed delivery; after a day the message is a dead letter.

        If the receiver was `silent`, all its messages wait; if it answered, only this one. The wait is at least `wait_us`, as the
        receiver asked, up to a quarter of an hour.
        """
        with self._database.transaction() as connection:
            if silent:
                held = connection.execute("SELECT silent FROM receivers WHERE receiver = ?", (letter.receiver,)).fetchone()
                times = held[0] if held else 0
                until = now_us + wait_after(times, wait_us)
                row = (letter.receiver, times + 1, until, said)
                connection.execute("INSERT OR REPLACE INTO receivers VALUES (?, ?, ?, ?)", row)
                connection.execute("UPDATE messages SET said = ? WHERE key = ?", (said, letter.key))
                sql = "UPDATE messages SET state = 'dead', said = ? WHERE receiver = ? AND state = 'waiting' AND made_us <= ?"
                connection.execute(sql, (said, letter.receiver, now_us - DAY_US))
                return
            connection.execute("INSERT OR REPLACE INTO receivers VALUES (?, 0, 0, ?)", (letter.receiver, said))
            connection.execute(
                "UPDATE messages SET said = ?, due_us = ?, state = CASE WHEN made_us <= ? THEN 'dead' ELSE state END "
                "WHERE key = ?",
                (said, now_us + wait_after(letter.tries, wait_us), now_us - DAY_US, letter.key),
            )

    def revive(self, key: str | None, now_us: int) -> int:
        """Retry a dead letter (None: all) for another day; return how many there were."""
        with self._database.transaction() as connection:
            rows = connection.execute(
                "UPDATE messages SET state = 'waiting', made_us = ?1, due_us = ?1 "
                "WHERE state = 'dead' AND (?2 IS NULL OR key = ?2) RETURNING receiver",
                (now_us, key),
            ).fetchall()
            sql = "UPDATE receivers SET held_until_us = 0 WHERE receiver = ?"
            connection.executemany(sql, [(receiver,) for (receiver,) in rows])
        return len(rows)

    # ------------------------------------------------------------------------------------------------------------ on view

    def letters(self, state: State | None = None, most: int = 1_000) -> list[Letter]:
        """Return the last messages (in a state), newest first."""
        rows = self._database.rows(
            "SELECT key, alarm, receiver, what, body, state, made_us, due_us, tries, tried_us, said FROM messages "
            "WHERE ?1 IS NULL OR state = ?1 ORDER BY place DESC LIMIT ?2",
            state,
            most,
        )
        return [_letter(row) for row in rows]

    def counts(self) -> dict[State, int]:
        """Return state → the number of its messages."""
        return dict(self._database.rows("SELECT state, count(*) FROM messages GROUP BY state"))

    def alarms(self) -> list[AlarmStatus]:
        """Return every raised alarm, newest first."""
        sql = "SELECT data, revision, withdrawn FROM alarms WHERE NOT withdrawn ORDER BY raised_us DESC, alarm"
        return [_status_of(*row) for row in self._database.rows(sql)]


_PUT = "INSERT OR IGNORE INTO messages VALUES (NULL, ?, ?, ?, ?, ?, 'waiting', ?, ?, 0, NULL, '')"


def _row(alarm: str, receiver: str, message: Message, now_us: int) -> tuple[object, ...]:
    return message.key, alarm, receiver, message.what, to_body(message), now_us, now_us


def _status_of(data: bytes, revision: int, withdrawn: int) -> AlarmStatus:
    return AlarmStatus(alarm=msgspec.json.decode(data, type=Alarm), revision=revision, withdrawn=bool(withdrawn))


def _letter(row: Sequence[object]) -> Letter:
    return msgspec.convert(dict(zip(Letter.__struct_fields__, row, strict=True)), Letter)


def wait_after(failures: int, asked_us: int = 0) -> int:
    """Return the wait after this many earlier failures, or the requested wait if that is longer, in microseconds.

    >>> [wait_after(n) // 1_000_000 for n in (0, 1, 2, 7, 8, 100)], wait_after(0, 60_000_000) // 1_000_000
    ([5, 10, 20, 640, 900, 900], 60)
    """
    backoff = min(FIRST_WAIT_US << min(failures, 20), LONGEST_WAIT_US)
    return min(max(backoff, asked_us), LONGEST_WAIT_US)
