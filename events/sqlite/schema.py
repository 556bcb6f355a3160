"""The tables of a log in SQLite, and how a log of an earlier form is brought to the present one."""

from __future__ import annotations

from typing import Final

from events.sqlite.database import Database

SCHEMA_VERSION: Final = "3"
EARLIER_FORMS: Final = ("1", "2")
"""Forms that are read, and renewed if the log is opened for writing."""

SCHEMA: Final = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE events (pos INTEGER PRIMARY KEY, stream TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL,
                     hash BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX events_by_number ON events (stream, seq);
CREATE TABLE reports (stream TEXT NOT NULL, source TEXT NOT NULL, source_seq INTEGER NOT NULL, digest BLOB NOT NULL,
                      seq INTEGER NOT NULL DEFAULT 0,
                      PRIMARY KEY (stream, source, source_seq, digest)) STRICT, WITHOUT ROWID;
CREATE TABLE event_ids (stream TEXT NOT NULL, event_id BLOB NOT NULL, seq INTEGER NOT NULL DEFAULT 0,
                        PRIMARY KEY (stream, event_id)) STRICT, WITHOUT ROWID;
CREATE TABLE quarantine (pos INTEGER PRIMARY KEY, stream TEXT NOT NULL, sha256 TEXT NOT NULL, reason TEXT NOT NULL,
                         data BLOB NOT NULL, at_us INTEGER NOT NULL, UNIQUE (stream, sha256)) STRICT;
CREATE TRIGGER events_stay BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
"""

_RENEWAL = {
    "1": "ALTER TABLE quarantine ADD COLUMN at_us INTEGER NOT NULL DEFAULT 0",
    "2": """
        ALTER TABLE reports ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE event_ids ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
    """,
}
"""From each earlier form to the next: the quarantine's times; the events that the rows of the index are of (0: not known)."""


def renew(database: Database, form: str) -> None:
    """Bring a log of an earlier form to the present one, in one transaction. No event is touched."""
    if form not in EARLIER_FORMS:
        return
    with database.transaction() as connection:
        for earlier in EARLIER_FORMS[EARLIER_FORMS.index(form) :]:
            connection.execute(_RENEWAL[earlier])
        connection.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (SCHEMA_VERSION,))
