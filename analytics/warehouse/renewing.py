"""Renews only the rows of an open warehouse that newly loaded rows can change.

Invariant: the models' statements stay as they are. The second line of each states how its rows are renewed: a scope (below), and
the tables that are limited to that scope. The model's statement runs over these rows, and its result replaces the model's rows in
the scope. A test compares the result with a build from nothing.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final, NamedTuple

from analytics.warehouse.digests import Sums, digests_of, digests_of_each
from analytics.warehouse.warehouse import CATALOG, MODELS, Warehouse, grains, model_text

SCOPES: Final[dict[str, dict[str, str]]] = {
    "verdict": {"stream": "VARCHAR", "round_no": "BIGINT"},
    "round": {"stream": "VARCHAR", "round_no": "BIGINT"},
    "finding": {"finding_id": "VARCHAR"},
    "incident": {"incident_id": "VARCHAR"},
    "review": {"finding_id": "VARCHAR"},
    "entry": {"stream": "VARCHAR", "seq": "BIGINT"},
    "filing": {"stream": "VARCHAR"},
    "event": {"stream": "VARCHAR", "seq": "BIGINT"},
    "day": {"stream": "VARCHAR", "gaming_day": "DATE"},
    "month": {"stream": "VARCHAR", "gaming_month": "DATE"},
    "deck": {"stream": "VARCHAR", "deck": "VARCHAR"},
    "stream": {"stream": "VARCHAR"},
    "observation": {"stream": "VARCHAR"},
}
"""Scope → the columns that identify what has changed: a table `in_<scope>` for each, while the models are renewed.

`verdict`: rounds with a new verdict (number 0: findings of a stream that no round states). `round`: rounds of which anything
changed. The others: findings, incidents, reviews, entries of the ledger, tables with a new submission, events of tables that are
new or corrected, and whatever of a table
holds a changed round. Three more have no table: `appending` (rows are only added, while they are loaded), `adding` (rows
are only added), `all` (the whole model).
"""

WHOLE: Final = {"fct_readings": "filing", "mart_theory_floor": "day"}
"""Model that is renewed by `all` → the scope without which there is nothing to renew."""

OTHER_COLUMNS: Final = {"stg_stated": {"round_no": "stated_in"}, "stg_once_stated": {"round_no": "stated_in"}}
"""Model → the column of its own that represents one of the scope `verdict`."""

_DAYS: Final = """
INSERT INTO in_day SELECT DISTINCT stream, gaming_day FROM stg_adjudications SEMI JOIN in_round USING (stream, round_no)
"""
_NEW_FACTS: Final = (
    "INSERT INTO in_verdict SELECT DISTINCT stream, round_no FROM raw_newest",
    "INSERT INTO in_verdict SELECT stream, round_no FROM stg_adjudications SEMI JOIN begun_again USING (stream)",
    "INSERT INTO in_verdict SELECT stream, 0 FROM begun_again UNION SELECT stream, 0 FROM with_findings_outside",
    """
    INSERT INTO in_finding
    SELECT finding_id FROM raw_findings
    UNION
    SELECT finding_id FROM stg_stated AS s SEMI JOIN in_verdict AS v ON s.stream = v.stream AND s.stated_in = v.round_no
    """,
    """
    INSERT INTO in_round
    SELECT stream, round_no FROM in_verdict WHERE round_no > 0
    UNION
    SELECT stream, round_no FROM new_events
    UNION
    SELECT stream, round_no FROM stg_findings SEMI JOIN in_finding USING (finding_id) WHERE round_no IS NOT NULL
    """,
    """
    INSERT INTO in_event
    WITH RECURSIVE corrections AS (
        SELECT stream, seq AS correction, (payload ->> '$.supersedes_seq')::BIGINT AS seq
        FROM (SELECT stream, seq, type, payload FROM stg_table_events UNION ALL FROM new_table_events)
        WHERE type = 'event_corrected'
    ),
    chained AS (
        SELECT stream, seq FROM new_table_events
        UNION
        SELECT c.stream, unnest([c.seq, c.correction]) FROM chained AS e
        INNER JOIN corrections AS c ON e.stream = c.stream AND e.seq IN (c.seq, c.correction)
    )
    SELECT stream, seq FROM chained
    """,
    "INSERT INTO in_round SELECT stream, round_no FROM round_events SEMI JOIN in_event USING (stream, seq)",
    """
    INSERT INTO in_round
    SELECT a.stream, a.round_no FROM stg_adjudications AS a
    SEMI JOIN (
        SELECT stream, seq FROM stg_table_events SEMI JOIN in_event USING (stream, seq)
        WHERE type IN ('cards_shuffled', 'dice_received')
    ) AS c ON a.stream = c.stream AND a.last_seq > c.seq
    """,
    """
    INSERT INTO in_finding
    SELECT finding_id FROM stg_findings SEMI JOIN in_round USING (stream, round_no)
    UNION
    SELECT o.finding_id FROM stg_once_stated AS o
    SEMI JOIN in_round AS r ON o.found_in = r.stream AND o.round_no = r.round_no
    """,
    "INSERT INTO in_review SELECT DISTINCT finding_id FROM raw_reviews",
    "INSERT INTO in_observation SELECT stream FROM raw_observed_rounds UNION SELECT stream FROM raw_observations",
    "INSERT INTO in_entry SELECT DISTINCT stream, seq FROM raw_ledger",
    "INSERT INTO in_entry SELECT stream, seq FROM stg_ledger SEMI JOIN begun_again USING (stream)",
    "INSERT INTO in_filing SELECT DISTINCT stream FROM new_table_events WHERE type IN ('rules_filed', 'event_corrected')",
    """
    INSERT INTO in_day
    SELECT stream, gaming_day FROM stg_ledger SEMI JOIN in_entry USING (stream, seq)
    UNION
    SELECT stream, gaming_day::DATE FROM raw_ledger
    """,
    """
    INSERT INTO in_day
    SELECT d.stream, d.gaming_day FROM fct_table_days AS d
    SEMI JOIN (
        SELECT stream FROM stg_table_events SEMI JOIN in_event USING (stream, seq) WHERE type = 'table_opened'
    ) AS c USING (stream)
    """,
    "INSERT INTO in_deck SELECT DISTINCT stream, deck FROM fct_hands SEMI JOIN in_round USING (stream, round_no)",
    "INSERT INTO in_incident SELECT DISTINCT incident_id FROM fct_findings SEMI JOIN in_finding USING (finding_id)",
    _DAYS,
)
"""The changes: the loaded rows compared with the tables before."""

_STEPS: Final[dict[str, tuple[str, ...]]] = {
    "stg_adjudications": (_DAYS,),
    "stg_findings": (
        "INSERT INTO in_round SELECT DISTINCT stream, round_no FROM stg_findings SEMI JOIN in_finding USING (finding_id) "
        "ANTI JOIN in_round USING (stream, round_no) WHERE round_no IS NOT NULL",
        _DAYS,
        "INSERT INTO in_month SELECT DISTINCT stream, date_trunc('month', gaming_day)::DATE FROM in_day",
        "INSERT INTO in_stream SELECT stream FROM in_round UNION SELECT stream FROM in_day UNION SELECT stream FROM in_event",
    ),
    "fct_findings": (
        "INSERT INTO in_incident SELECT DISTINCT incident_id FROM fct_findings SEMI JOIN in_finding USING (finding_id)",
    ),
    "fct_hands": ("INSERT INTO in_deck SELECT DISTINCT stream, deck FROM fct_hands SEMI JOIN in_round USING (stream, round_no)",),
}
"""Model → the statements that add what follows from its new rows."""


FEW: Final = 2_000
"""Fewer rows than this many are few."""
FEW_ROUNDS: Final = 500
"""This many rounds are a refresh, not a build of everything."""


class Renewal(NamedTuple):
    """The scope of an update of a model, and the tables that are limited to it."""

    scope: str
    of: tuple[str, ...]


def renewals() -> dict[str, Renewal]:
    """Return model → its renewal, from its second line.

    >>> renewals()["fct_wagers"]
    Renewal(scope='round', of=('stg_settlements', 'stg_adjudications'))
    """
    found = {}
    for model in MODELS:
        scope, _, of = model_text(model).splitlines()[1].removeprefix("-- renewed by: ").partition("; of ")
        found[model] = Renewal(scope, tuple(of.split(", ")) if of else ())
    return found


_OFTEN: Final = frozenset(
    seen
    for seen, models in Counter((table, each.scope) for each in renewals().values() for table in each.of).items()
    if models > 1
)
"""Tables and scopes that several models see."""


LOADED: Final = {
    "new_events": {"stream": "VARCHAR", "round_no": "BIGINT"},
    "new_table_events": {"stream": "VARCHAR", "seq": "BIGINT", "type": "VARCHAR", "payload": "VARCHAR"},
    "begun_again": {"stream": "VARCHAR"},
    "with_findings_outside": {"stream": "VARCHAR"},
}
"""What is noted while rows are loaded: rounds with new events; new events of tables; streams whose results begin again; streams
whose findings that no round states were loaded."""


# Names in the statements below come from this package's own tables of scopes and models, never from data.
def prepare(db: Warehouse) -> None:
    """Make the empty temporary tables for a renewal."""
    for table, columns in (*LOADED.items(), *((f"in_{scope}", columns) for scope, columns in SCOPES.items())):
        db.execute(f"CREATE TEMP TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")


def renew(db: Warehouse, sums: Sums) -> None:
    """Renew all models from the raw tables, but for the `LOADED`, and the digests of their rows."""
    for statement in _NEW_FACTS:
        db.execute(statement)
    seen = _Seen(db)
    for model, renewal in renewals().items():
        if renewal.scope == "adding":
            _add(db, sums, model)
        elif renewal.scope != "appending":
            _replace(db, sums, model, renewal, seen)
        for statement in _STEPS.get(model, ()):
            db.execute(statement)
            seen.forget()


def empty(db: Warehouse, raw: Iterable[str]) -> None:
    """Empty the raw tables and recorded keys for the next rows."""
    for table in (*raw, *LOADED, *(f"in_{scope}" for scope in SCOPES)):
        db.execute(f"DELETE FROM temp.{table}")


class _Seen:
    """The rows of tables in a scope: a small set is read once for all models with the same scope."""

    def __init__(self, db: Warehouse) -> None:
        self._db = db
        self._few = db.execute(f"SELECT count(*) < {FEW_ROUNDS} FROM in_round").fetchall() == [(True,)]
        self._asked: set[tuple[str, str]] = set()

    def rows(self, table: str, scope: str) -> str:
        """Return the statement for a table's rows in a scope."""
        rows = f"SELECT t.* FROM {CATALOG}.main.{table} AS t SEMI JOIN in_{scope} AS s ON {_in_scope(table, scope)}"
        if not self._few or (table, scope) not in _OFTEN:
            return rows
        if (table, scope) not in self._asked:
            self._asked.add((table, scope))
            self._db.execute(f"CREATE OR REPLACE TEMP TABLE {table}_in_{scope} AS {rows}")
        return f"FROM temp.{table}_in_{scope}"

    def forget(self) -> None:
        """Forget the rows read: a scope has grown."""
        self._asked.clear()


def _replace(db: Warehouse, sums: Sums, model: str, renewal: Renewal, seen: _Seen) -> None:
    """Replace a model's rows in its scope."""
    if not db.execute(f"SELECT 1 FROM in_{WHOLE.get(model, renewal.scope)} LIMIT 1").fetchall():
        return
    kept, inside = f"{CATALOG}.main.{model}", "true"
    if renewal.scope != "all":
        inside = f"EXISTS (FROM in_{renewal.scope} AS s WHERE {_in_scope(model, renewal.scope)})"
    for table in renewal.of:
        db.execute(f"CREATE TEMP VIEW {table} AS {seen.rows(table, renewal.scope)}")
    [(rows,)] = db.execute(f"CREATE OR REPLACE TEMP TABLE fresh AS\n{model_text(model)}").fetchall()
    for table in renewal.of:
        db.execute(f"DROP VIEW temp.{table}")
    parts = [f"(SELECT t.* FROM {kept} AS t WHERE {inside})", "fresh"]
    gone, added = digests_of_each(db, model, parts, few=rows < FEW)
    if gone != added:
        if gone:
            db.execute(f"DELETE FROM {kept} AS t WHERE {inside}")
        db.execute(f"INSERT INTO {kept} SELECT * FROM fresh")
        sums.change(gone, added)


def _add(db: Warehouse, sums: Sums, model: str) -> None:
    """Add a model's missing rows, after removing the rows of streams whose results restart."""
    gone = digests_of(db, model, f"(SELECT t.* FROM {CATALOG}.main.{model} AS t SEMI JOIN begun_again USING (stream))")
    db.execute(f"DELETE FROM {model} WHERE stream IN (SELECT stream FROM begun_again)")
    keys = ", ".join(grains()[model])
    db.execute(f"CREATE OR REPLACE TEMP TABLE fresh AS SELECT * FROM (\n{model_text(model)}) ANTI JOIN {model} USING ({keys})")
    sums.change(gone, digests_of(db, model, "fresh"))
    db.execute(f"INSERT INTO {model} SELECT * FROM fresh")


def _in_scope(table: str, scope: str) -> str:
    """Return the condition that a row `t` of a table is in a scope, by a row `s` of it."""
    own = OTHER_COLUMNS.get(table, {}) if scope == "verdict" else {}
    return " AND ".join(f"t.{own.get(column, column)} = s.{column}" for column in SCOPES[scope])
