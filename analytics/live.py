"""The floor now: each table's gaming day, from the warehouse up to its last round, then from log and results.

Invariant: figures have the same meaning as in the warehouse (D27), and equal values on the same rounds. A round counts once it
was judged; until then it waits. A correction to a round in the warehouse counts from the next generation on.
"""

import contextlib
from collections import deque
from typing import Any

import msgspec

from analytics.warehouse.warehouse import Warehouse
from desk.review.desk import REFUSALS, Desk
from replay.advice import Advice, advice_in
from replay.findings import Adjudication, Severity, read_result
from replay.fold.corrections import Correction, correction_of, counting
from replay.incidents import incidents_in
from rulebook.catalogue import GAMES

PACE_ROUNDS = 30
"""The pace of a table is that of its last this many rounds."""

BEGINNINGS = ("table_opened", "round_opened", "buy_in", "marker_issued")
"""A table's figures are those of its last gaming day until one of these, or an opening count, begins the next: the count room
works in between."""

CORRECTABLE = ("drop_counted", "event_corrected", "intake_refused")
"""The types of events whose correction can change the drop."""

BEYOND = 2**53 - 1
"""A position past the end of any stream: the tail leaves such a stream out."""


class LiveFinding(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a finding for a tile."""

    severity: Severity
    incident_id: str


class LiveTable(msgspec.Struct, kw_only=True):
    """One table in its last gaming day; `open` is None if it is not in the log.

    `earlier_win_cents` is the house win of rounds judged in the warehouse, `judged` has that of later ones (None without settled
    wagers on record). `bought_in_cents` is the recorded content of the drop box, `drops` are the counted drop boxes: event → box
    and amount; `counted` has them before the `corrections` read since, `ids` the ids of events read since that can be corrected.
    `findings` are by id. `waiting` are closed rounds not yet judged. Times are UTC microseconds: `last_event_at_us`
    by the device's clock, `recorded_at_us` by the appender's. `broken` is the reason why nothing after `seq` can be trusted.
    `advice` is that on the open round, if a replay follows the log.
    """

    stream: str
    seq: int = 0
    open: bool | None = None
    game: str = ""
    dealer: str = ""
    gaming_day: str = ""
    rounds: int = 0
    last_round_no: int | None = None
    earlier_win_cents: int | None = None
    bought_in_cents: int = 0
    drops: dict[int, tuple[str, int]] = msgspec.field(default_factory=dict)
    counted: dict[int, tuple[str, int]] = msgspec.field(default_factory=dict)
    corrections: list[Correction] = msgspec.field(default_factory=list)
    ids: dict[int, str] = msgspec.field(default_factory=dict)
    findings: dict[str, LiveFinding] = msgspec.field(default_factory=dict)
    waiting: set[int] = msgspec.field(default_factory=set)
    closings: deque[int] = msgspec.field(default_factory=lambda: deque(maxlen=PACE_ROUNDS))
    last_event_at_us: int | None = None
    recorded_at_us: int | None = None
    broken: str = ""
    judged: dict[int, tuple[int | None, tuple[str, ...]]] = msgspec.field(default_factory=dict)
    advice: Advice | None = None

    @property
    def table_id(self) -> str:
        """The table's id."""
        return self.stream.partition("/")[2]

    @property
    def house_win_cents(self) -> int | None:
        """The house win of the gaming day's settled wagers; None if none is on record."""
        wins = [self.earlier_win_cents, *(win for win, _ in self.judged.values())]
        return sum(win for win in wins if win is not None) if any(win is not None for win in wins) else None

    @property
    def drop_cents(self) -> int | None:
        """The count of the gaming day's drop boxes; None before."""
        return sum(cents for _, cents in self.drops.values()) if self.drops else None

    @property
    def repeated_drops(self) -> int:
        """The number of counts that repeat one of the same box and amount."""
        named = [each for each in self.drops.values() if each[0]]
        return len(named) - len(set(named))

    @property
    def pace_rounds_per_hour(self) -> float | None:
        """Return the pace of the last rounds per hour; None for fewer than two."""
        if len(self.closings) < 2 or self.closings[-1] <= self.closings[0]:
            return None
        return (len(self.closings) - 1) * 3.6e9 / (self.closings[-1] - self.closings[0])


class _Event(msgspec.Struct):
    """The fields of an event that are read without decoding it whole."""

    event_id: str
    type: str
    round_no: int | None
    gaming_day: str
    occurred_at_us: int
    recorded_at_us: int
    payload: msgspec.Raw


_event = msgspec.json.Decoder(_Event)


class LiveTables:
    """All tables of a log. `refresh` reads new events and verdicts; one thread at a time."""

    def __init__(self, desk: Desk, base: dict[str, LiveTable]) -> None:
        self.desk = desk
        self.tables = base

    def refresh(self) -> list[LiveTable]:
        """Read the rest of the log and missing verdicts, and return the tables by id."""
        for stream in self.desk.log.streams():
            if stream.startswith("table/"):
                self.tables.setdefault(stream, LiveTable(stream=stream))
        while self._read_on():
            pass
        for table in self.tables.values():
            for round_no in sorted(table.waiting):
                self._judge(table, round_no)
        given = advice_in(self.desk.results)
        for stream, table in self.tables.items():
            advice = given.get(stream)
            is_of_open = advice is not None and advice.round_no > (table.last_round_no or 0) and not table.broken
            table.advice = advice if is_of_open else None
        return [self.tables[stream] for stream in sorted(self.tables)]

    def _read_on(self) -> bool:
        """Read to the end; return true if a stream is broken: then read the others again without it."""
        after = {
            stream: self.tables[stream].seq if stream in self.tables and not self.tables[stream].broken else BEYOND
            for stream in self.desk.log.streams()
        }
        try:
            for batch in self.desk.log.tail(after):
                for record in batch:
                    table = self.tables.get(record.stream)
                    if table is not None and not table.broken:  # a stream that begins just now is read the next time
                        _read_into(table, record.seq, record.data)
        except REFUSALS as error:
            broken = self.tables.get(getattr(error, "stream", ""))
            if broken is None or broken.broken:
                raise
            broken.broken = str(error)
            return True
        return False

    def _judge(self, table: LiveTable, round_no: int) -> None:
        """Count a round's verdict, replacing an earlier one; do nothing if none exists yet."""
        key = f"{table.stream}#{round_no}"
        data = self.desk.results.latest("adjudications", key)
        if data is None:
            return
        verdict = read_result("adjudications", key, data, Adjudication)
        table.waiting.discard(round_no)
        if verdict.gaming_day != table.gaming_day:
            return
        before = table.judged.get(round_no)
        if before is None:
            table.rounds += 1
        else:
            for finding_id in before[1]:
                table.findings.pop(finding_id, None)
        table.judged[round_no] = house_win_cents(verdict), tuple(each.id for each in verdict.findings)
        table.findings.update(
            (finding.id, LiveFinding(severity=finding.severity, incident_id=incident.id))
            for incident in incidents_in(verdict.findings)
            for finding in incident.findings
        )
        table.game, table.dealer = verdict.game, verdict.dealer or table.dealer


def _read_into(table: LiveTable, seq: int, data: bytes) -> None:
    """Add an event to its table; an unreadable event ends the table's figures, as it ends its replay."""
    try:
        _take(table, seq, _event.decode(data))
        table.seq = seq
    except (msgspec.MsgspecError, LookupError, TypeError, ValueError) as error:
        table.broken = f"{table.stream}: event {seq} cannot be read: {error}"


def _take(table: LiveTable, seq: int, event: _Event) -> None:
    if event.type in CORRECTABLE:
        table.ids[seq] = event.event_id
    table.last_event_at_us, table.recorded_at_us = event.occurred_at_us, event.recorded_at_us
    if event.gaming_day != table.gaming_day and _begins(table, event):
        _new_day(table, event.gaming_day)
    match event.type:
        case "table_opened":
            table.open, table.game = True, str(_payload(event)["game"])
        case "table_closed":
            table.open = False
        case "dealer_tapped_in":
            table.dealer = str(_payload(event)["dealer"])
        case "buy_in":  # by marker too, next to the marker's own event
            table.bought_in_cents += int(_payload(event)["amount_cents"])
        case "drop_counted":
            _count(table.counted, seq, _payload(event), table.gaming_day)
            _correct_drops(table)
        case "round_closed" if event.round_no is not None:
            table.open = True if table.open is None else table.open
            table.last_round_no = event.round_no
            table.closings.append(event.occurred_at_us)
            table.waiting.add(event.round_no)
        case "event_corrected":
            table.waiting |= table.judged.keys()
            table.corrections.append(correction_of(seq, _payload(event)))
            _correct_drops(table)
        case _:
            pass


def _begins(table: LiveTable, event: _Event) -> bool:
    """Return whether an event of another gaming day begins that day at the table; its first event does."""
    is_opener = event.type == "inventory_counted" and _payload(event)["kind"] == "opener"
    return is_opener or event.type in BEGINNINGS or not table.gaming_day


def _count(drops: dict[int, tuple[str, int]], seq: int, drop: dict[str, Any], gaming_day: str) -> None:
    if drop["gaming_day"] == gaming_day:
        drops[seq] = str(drop["box"]), int(drop["amount_cents"])


def _correct_drops(table: LiveTable) -> None:
    """Apply the corrections that fit (D140) to the drops counted on the gaming day; one of an event read before is as it says."""
    table.drops = dict(table.counted)
    named = {each.superseded: each.event_id for each in table.corrections}
    for seq, made in counting(table.corrections, named | table.ids).items():
        table.drops.pop(seq, None)
        if made.replacement is not None and made.replacement[1].TYPE == "drop_counted":
            _count(table.drops, seq, msgspec.structs.asdict(made.replacement[1]), table.gaming_day)


def house_win_cents(verdict: Adjudication) -> int | None:
    """Return the house win on a round's settled wagers, without meters' payments; None if no settled wager is on record."""
    game = GAMES.get(verdict.game)
    won = [s.meter_cents - s.done_cents for s in verdict.settlements if s.done_cents is not None and s.moved]
    if not won:
        return None
    return 0 if game is not None and game.patron_banked else sum(won)


def base(db: Warehouse) -> dict[str, LiveTable]:
    """Return each table's last gaming day in the warehouse, up to the last event of its last round."""
    rows = db.sql(
        """
        WITH latest AS MATERIALIZED (
            SELECT stream, max(gaming_day) AS gaming_day FROM fct_table_days WHERE rounds > 0 GROUP BY stream
        ),

        days AS (
            SELECT
                stream,
                gaming_day,
                count(*) AS rounds,
                max(last_seq) AS seq,
                max(closed_at_us) AS closed_at_us,
                arg_max(round_no, last_seq) AS last_round_no,
                arg_max(game, last_seq) AS game,
                arg_max(dealer, last_seq) AS dealer,
                sum(house_win_cents)::BIGINT AS house_win_cents,
                list(closed_at_us ORDER BY last_seq) AS closings
            FROM fct_rounds SEMI JOIN latest USING (stream, gaming_day)
            GROUP BY stream, gaming_day
        )

        SELECT
            d.*,
            (
                SELECT coalesce(sum(amount_cents), 0)::BIGINT FROM stg_ledger AS l
                WHERE l.stream = d.stream AND l.gaming_day = d.gaming_day AND l.seq <= d.seq AND l.kind = 'buy_in'
            ) AS bought_in_cents,
            (
                SELECT list({'seq': seq, 'box': reference, 'cents': amount_cents} ORDER BY seq) FROM stg_ledger AS l
                WHERE l.stream = d.stream AND l.gaming_day = d.gaming_day AND l.seq <= d.seq AND l.kind = 'drop'
            ) AS drops,
            (
                SELECT list({'id': finding_id, 'severity': severity, 'incident_id': incident_id} ORDER BY finding_id)
                FROM fct_findings AS f
                WHERE f.stream = d.stream AND f.gaming_day = d.gaming_day
            ) AS findings
        FROM days AS d
        """
    ).pl()
    return {row["stream"]: _based(row) for row in rows.iter_rows(named=True)}


def _based(row: dict[str, Any]) -> LiveTable:
    drops = {drop["seq"]: (drop["box"], drop["cents"]) for drop in row["drops"] or ()}
    return LiveTable(
        stream=row["stream"],
        seq=row["seq"],
        open=True,
        game=row["game"],
        dealer=row["dealer"],
        gaming_day=row["gaming_day"].isoformat(),
        rounds=row["rounds"],
        last_round_no=row["last_round_no"],
        earlier_win_cents=row["house_win_cents"],
        bought_in_cents=row["bought_in_cents"],
        drops=drops,
        counted=dict(drops),
        findings={
            finding["id"]: LiveFinding(severity=finding["severity"], incident_id=finding["incident_id"])
            for finding in row["findings"] or ()
        },
        closings=deque(row["closings"], maxlen=PACE_ROUNDS),
        last_event_at_us=row["closed_at_us"],
    )


def _new_day(table: LiveTable, gaming_day: str) -> None:
    """Begin a gaming day: its figures start at zero; rounds that wait for a verdict go on waiting."""
    table.gaming_day, table.rounds, table.earlier_win_cents, table.bought_in_cents = gaming_day, 0, None, 0
    table.drops, table.counted, table.findings, table.judged = {}, {}, {}, {}
    table.corrections, table.ids = [], {}
    with contextlib.suppress(IndexError):
        table.closings = deque([table.closings[-1]], maxlen=PACE_ROUNDS)


def _payload(event: _Event) -> dict[str, Any]:
    payload: dict[str, Any] = msgspec.json.decode(event.payload)
    return payload
