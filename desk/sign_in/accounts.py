"""Sign-in accounts: invitations, passkeys, passwords with one-time codes, in a file of mode 0600 next to the log.

Invariant: the only usable secrets in the file are those of one-time codes; of passwords and invitations it has only hashes. An
attempt counts as wrong before it is checked, and an unknown name gets the same answer as a known one.
"""

import os
import secrets
from base64 import b32encode
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Final, NamedTuple

from desk.review.persons import Person, Persons, ReviewRefused, normal
from desk.sign_in.passwords import code_step, hash_password, is_password, password_objection
from events.errors import LogUnavailable
from events.sqlite.database import Connection, Database

FILE: Final = "sign-in.db"
FREE_TRIES: Final = 5
"""Wrong names or codes before the next attempt must wait."""
FIRST_WAIT_S, LONGEST_WAIT_S = 30, 900
"""That wait: it doubles each time, up to a quarter of an hour."""
FORGET_S: Final = 24 * 3600
"""Wrong tries count for a day."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS invitation (person TEXT PRIMARY KEY, code BLOB NOT NULL UNIQUE, until_s REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS password (person TEXT PRIMARY KEY, hash TEXT NOT NULL, code_secret BLOB NOT NULL,
                                     last_step INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS passkey (id BLOB PRIMARY KEY, person TEXT NOT NULL, public_key BLOB NOT NULL,
                                    uses INTEGER NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS wrong (name TEXT PRIMARY KEY, tries INTEGER NOT NULL, last_s REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS ended (person TEXT PRIMARY KEY, at_s REAL NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS history (place INTEGER PRIMARY KEY, at_s REAL NOT NULL, person TEXT NOT NULL,
                                    what TEXT NOT NULL) STRICT;
"""
WRONG: Final = "Name, password or code is wrong."


class SignInRefused(ReviewRefused):
    """A sign-in or its setup is refused; the message says what to do, but not who exists."""


class Passkey(NamedTuple):
    """A person's passkey: its public key, and the use count of its authenticator."""

    id: bytes
    person: str
    public_key: bytes
    uses: int


class AccountState(NamedTuple):
    """How a person can sign in: number of passkeys, password or not, the end of an invitation (None: no invitation)."""

    passkeys: int
    password: bool
    invited_until_s: float | None
    last_s: float | None

    @property
    def is_set_up(self) -> bool:
        """Whether the person can sign in."""
        return self.password or self.passkeys > 0


class AccountEvent(NamedTuple):
    """A line of the history."""

    at_s: float
    person: str
    what: str


class Accounts:
    """The accounts of a house in a file. Every call locks it, so that commands and pages can use it at the same time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ended: dict[str, float] = {}

    @contextmanager
    def _database(self) -> Iterator[Database]:
        is_new = not self.path.exists()
        if is_new:  # made here so that it is its owner's alone from the first byte
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT, 0o600))
        if self.path.stat().st_mode & 0o077:
            raise SignInRefused(f"{self.path}: other users can read this file, and it holds secrets; run chmod 600 on it")
        with closing(Database(self.path, read_only=False)) as database:
            with database.transaction() as connection:
                connection.execute(_SCHEMA)
            yield database

    # -------------------------------------------------------------------------------------------------------- invitation

    def invite(self, person: Person, now_s: float, hours: float) -> str:
        """Return a code that lets a person set up a sign-in once; it replaces an earlier one."""
        raw = b32encode(secrets.token_bytes(15)).decode()
        with self._database() as database, database.transaction() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO invitation VALUES (?, ?, ?)", (person.id, _digest(raw), now_s + hours * 3600)
            )
            _note(connection, now_s, person.id, "invited")
        return "-".join(raw[at : at + 4] for at in range(0, len(raw), 4))

    def invited(self, code: str, persons: Persons, now_s: float) -> Person:
        """Return the person invited by a code. Raises `SignInRefused` for an unknown or expired code."""
        with self._database() as database:
            found = database.rows("SELECT person FROM invitation WHERE code = ? AND until_s > ?", _digest(code), now_s)
        person = persons.find(found[0][0]) if found else None
        if person is None:
            raise SignInRefused("This invitation is used, over, or not one of ours. Ask who set you up for another one.")
        return person

    def set_password(self, code: str, persons: Persons, password: str, code_secret: bytes, one_time: str, now_s: float) -> Person:
        """Set up a password and one-time codes, which uses up the invitation and ends the person's sign-ins: a password may be
        replaced because somebody else knows it. Raises `SignInRefused`.
        """
        person = self.invited(code, persons, now_s)
        if why := password_objection(password, person.id, *person.name.split()):
            raise SignInRefused(f"Choose another password: {why}.")
        step = code_step(code_secret, one_time, now_s, 0)
        if step is None:
            raise SignInRefused(
                "This is not the code that the authenticator shows now. Type the newest one; both clocks must be right."
            )
        kept = hash_password(password)
        with self._database() as database, database.transaction() as connection:
            self._use(connection, code, now_s)
            connection.execute("INSERT OR REPLACE INTO password VALUES (?, ?, ?, ?)", (person.id, kept, code_secret, step))
            connection.execute("DELETE FROM wrong WHERE name = ?", (person.id,))
            connection.execute("INSERT OR REPLACE INTO ended VALUES (?, ?)", (person.id, now_s))
            _note(connection, now_s, person.id, "password and one-time code set up")
        return person

    def add_passkey(self, code: str, persons: Persons, made: tuple[bytes, bytes, int], now_s: float) -> Person:
        """Add a passkey (id, public key, uses), which uses up the invitation. Raises `SignInRefused`."""
        person = self.invited(code, persons, now_s)
        key_id, public_key, uses = made
        with self._database() as database, database.transaction() as connection:
            self._use(connection, code, now_s)
            if connection.execute("SELECT 1 FROM passkey WHERE id = ?", (key_id,)).fetchone():
                raise SignInRefused("This passkey is set up already.")
            connection.execute("INSERT INTO passkey VALUES (?, ?, ?, ?)", (key_id, person.id, public_key, uses))
            _note(connection, now_s, person.id, "passkey set up")
        return person

    @staticmethod
    def _use(connection: Connection, code: str, now_s: float) -> None:
        done = connection.execute(
            "DELETE FROM invitation WHERE code = ? AND until_s > ? RETURNING person", (_digest(code), now_s)
        ).fetchone()
        if done is None:
            raise SignInRefused("This invitation was used a moment ago.")

    # ----------------------------------------------------------------------------------------------------------- signing in

    def by_password(self, name: str, persons: Persons, password: str, one_time: str, now_s: float) -> Person:
        """Return who signs in by name, password and one-time code. Raises the same `SignInRefused` for every name."""
        person = persons.find(name) if len(name) <= 100 else None
        key = person.id if person is not None else f"?{sha256(normal(name[:100]).encode()).hexdigest()[:4]}"
        with self._database() as database:
            with database.transaction() as connection:
                self._count(connection, key, now_s)
                kept = connection.execute("SELECT hash, code_secret, last_step FROM password WHERE person = ?", (key,)).fetchone()
            hash_, code_secret, last_step = kept or (_of_no_one(), bytes(20), 0)
            right = is_password(password, hash_)
            step = code_step(code_secret, one_time, now_s, last_step)
            if person is None or kept is None or not right or step is None:
                if person is not None:
                    with database.transaction() as connection:
                        _note(connection, now_s, person.id, "wrong password or code")
                raise SignInRefused(WRONG)
            with database.transaction() as connection:
                taken = connection.execute(
                    "UPDATE password SET last_step = ? WHERE person = ? AND last_step < ? RETURNING person", (step, key, step)
                ).fetchone()
                if taken is None:
                    raise SignInRefused(WRONG)
                connection.execute("DELETE FROM wrong WHERE name = ?", (key,))
                _note(connection, now_s, person.id, "signed in by password")
        return person

    @staticmethod
    def _count(connection: Connection, key: str, now_s: float) -> None:
        """Count an attempt as wrong until it proves right. Raises `SignInRefused` if it comes too soon after others."""
        execute = connection.execute
        execute("DELETE FROM wrong WHERE last_s < ?", (now_s - FORGET_S,))
        found = execute("SELECT tries, last_s FROM wrong WHERE name = ?", (key,)).fetchone()
        tries, last_s = found or (0, 0.0)
        wait = 0 if tries < FREE_TRIES else min(FIRST_WAIT_S * 2 ** min(tries - FREE_TRIES, 10), LONGEST_WAIT_S)
        left = last_s + wait - now_s
        if wait and left > 0:
            raise SignInRefused(f"Too many wrong tries. Wait {ceil(left)} seconds, then try again.")
        execute("INSERT OR REPLACE INTO wrong VALUES (?, ?, ?)", (key, tries + 1, now_s))

    def passkey(self, key_id: bytes) -> Passkey | None:
        """Return a passkey by its id."""
        with self._database() as database:
            found = database.rows("SELECT id, person, public_key, uses FROM passkey WHERE id = ?", key_id)
        return Passkey(*found[0]) if found else None

    def by_passkey(self, passkey: Passkey, persons: Persons, uses: int, now_s: float) -> Person:
        """Return who signs in by a verified passkey; `uses` is its authenticator's new count."""
        person = persons.find(passkey.person)
        if person is None:
            raise SignInRefused("This passkey no longer belongs to anyone here.")
        with self._database() as database, database.transaction() as connection:
            if connection.execute(
                "UPDATE passkey SET uses = ? WHERE id = ? RETURNING id", (uses, passkey.id)
            ).fetchone() is None:  # fmt: skip
                raise SignInRefused("This passkey was removed.")
            _note(connection, now_s, person.id, "signed in by passkey")
        return person

    # -------------------------------------------------------------------------------------------------------------- keeping

    def end(self, person: str, now_s: float) -> None:
        """End every session of a person that began before now."""
        with self._database() as database, database.transaction() as connection:
            connection.execute("INSERT OR REPLACE INTO ended VALUES (?, ?)", (person, now_s))
            _note(connection, now_s, person, "sign-ins ended")

    def remove(self, person: str, now_s: float) -> None:
        """Remove a person's passkeys, password and invitation, and end every session."""
        with self._database() as database, database.transaction() as connection:
            for table in ("passkey", "password", "invitation"):
                connection.execute(f"DELETE FROM {table} WHERE person = ?", (person,))
            connection.execute("INSERT OR REPLACE INTO ended VALUES (?, ?)", (person, now_s))
            _note(connection, now_s, person, "passkeys, password and invitation removed")

    def ended(self) -> Mapping[str, float]:
        """Return person → when that person's sessions were last ended.

        The pages ask this every second: it takes no lock, and if the file cannot be read, the last answer applies.
        """
        with suppress(LogUnavailable):
            if self.path.exists():
                with closing(Database(self.path, read_only=True)) as database:
                    self._ended = dict(database.rows("SELECT person, at_s FROM ended"))
        return self._ended

    def states(self, now_s: float) -> dict[str, AccountState]:
        """Return person → how that person can sign in, for everyone ever invited."""
        if not self.path.exists():
            return {}
        sql = """
        SELECT person, sum(passkeys), max(password), max(until_s), max(last_s) FROM (
          SELECT person, 1 AS passkeys, 0 AS password, NULL AS until_s, NULL AS last_s FROM passkey
          UNION ALL SELECT person, 0, 1, NULL, NULL FROM password
          UNION ALL SELECT person, 0, 0, until_s, NULL FROM invitation WHERE until_s > ?
          UNION ALL SELECT person, 0, 0, NULL, at_s FROM history WHERE what GLOB 'signed in*')
        GROUP BY person"""
        with self._database() as database:
            return {
                person: AccountState(passkeys, bool(password), until_s, last_s)
                for person, passkeys, password, until_s, last_s in database.rows(sql, now_s)
            }

    def history(self, person: str | None = None) -> list[AccountEvent]:
        """Return the history of one person or of all, oldest first."""
        if not self.path.exists():
            return []
        with self._database() as database:
            sql = "SELECT at_s, person, what FROM history WHERE ?1 IS NULL OR person = ?1 ORDER BY place"
            return [AccountEvent(*row) for row in database.rows(sql, person)]


@cache
def _of_no_one() -> str:
    """Return the hash to compare with if no one has the name, so that the answer takes as long."""
    return hash_password(secrets.token_hex(16))


def _note(connection: Connection, now_s: float, person: str, what: str) -> None:
    connection.execute("INSERT INTO history (at_s, person, what) VALUES (?, ?, ?)", (now_s, person, what))


def _digest(code: str) -> bytes:
    """Return the stored hash of an invitation's code, however it is typed."""
    return sha256("".join(char for char in code.upper() if char.isalnum()).encode()).digest()
