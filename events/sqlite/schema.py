"""The tables of a log in SQLite, and how a log of an earlier form is brought to the present one."""

from typing import Final

from events.sqlite.database import Database
from events.sqlite.repeats import short

SCHEMA_VERSION: Final = "4"
EARLIER_FORMS: Final = ("1", "2", "3")
"""Forms that are read, and renewed if the log is opened for writing."""

_INDEX: Final = """
CREATE TABLE names (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE reports (stream INTEGER NOT NULL, source INTEGER NOT NULL, source_seq INTEGER NOT NULL,
                      digest INTEGER NOT NULL, seq INTEGER NOT NULL,
                      PRIMARY KEY (stream, source, source_seq, digest, seq)) STRICT, WITHOUT ROWID;
CREATE TABLE event_ids (stream INTEGER NOT NULL, event_id INTEGER NOT NULL, seq INTEGER NOT NULL,
                        PRIMARY KEY (stream, event_id, seq)) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('salt', lower(hex(randomblob(16))));
"""
"""The index of repeats: numbers for names, and short digests under the log's salt (see `events.sqlite.repeats`)."""

SCHEMA: Final = f"""
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE events (pos INTEGER PRIMARY KEY, stream TEXT NOT NULL, seq INTEGER NOT NULL, data BLOB NOT NULL,
                     hash BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX events_by_number ON events (stream, seq);
CREATE TABLE packs (pos INTEGER PRIMARY KEY, stream TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
                    data BLOB NOT NULL, hashes BLOB NOT NULL) STRICT;
CREATE UNIQUE INDEX packs_by_number ON packs (stream, last, first);
CREATE TABLE quarantine (pos INTEGER PRIMARY KEY, stream TEXT NOT NULL, sha256 TEXT NOT NULL, reason TEXT NOT NULL,
                         data BLOB NOT NULL, at_us INTEGER NOT NULL, UNIQUE (stream, sha256)) STRICT;
CREATE TRIGGER events_stay BEFORE DELETE ON events
    WHEN NOT EXISTS (SELECT 1 FROM packs WHERE stream = OLD.stream AND last >= OLD.seq AND first <= OLD.seq)
    BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER events_keep BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER packs_stay BEFORE DELETE ON packs BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
CREATE TRIGGER packs_keep BEFORE UPDATE ON packs BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END;
{_INDEX}
"""

_RENEWAL = {
    "1": "ALTER TABLE quarantine ADD COLUMN at_us INTEGER NOT NULL DEFAULT 0",
    "2": """
        ALTER TABLE reports ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE event_ids ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
    """,
    "3": f"""
        ALTER TABLE reports RENAME TO earlier_reports;
        ALTER TABLE event_ids RENAME TO earlier_ids;
        {_INDEX}
        INSERT INTO names (name) SELECT stream FROM earlier_ids UNION SELECT stream FROM earlier_reports
            UNION SELECT source FROM earlier_reports;
        INSERT OR IGNORE INTO reports SELECT streams.id, sources.id, source_seq, short(value, digest), seq
            FROM earlier_reports JOIN names AS streams ON streams.name = stream JOIN names AS sources ON sources.name = source
            JOIN meta ON meta.name = 'salt';
        INSERT OR IGNORE INTO event_ids SELECT id, short(value, event_id), seq
            FROM earlier_ids JOIN names ON names.name = stream JOIN meta ON meta.name = 'salt';
        DROP TABLE earlier_reports;
        DROP TABLE earlier_ids;
    """,
}
"""The statements from each earlier form to the next: the quarantine's times; the events that the rows of the index are of (0: not
known); the index in short. Events that are stored row by row stay so: the log packs none.
"""


def renew(database: Database, form: str) -> None:
    """Bring a log of an earlier form to the present one, in one transaction. No event is touched."""
    if form not in EARLIER_FORMS:
        return
    with database.transaction() as connection:
        connection.create_scalar_function("short", lambda *both: short(*both), 2)
        for earlier in EARLIER_FORMS[EARLIER_FORMS.index(form) :]:
            connection.execute(_RENEWAL[earlier])
        connection.execute("UPDATE meta SET value = ? WHERE name = 'schema'", (SCHEMA_VERSION,))
