"""The floor as it is now: the same figures as the warehouse on the same rounds, and each event counted once."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from analytics import live
from analytics.live import LiveTable, LiveTables, _read_into
from analytics.warehouse.warehouse import reading
from desk.review.desk import desk_at
from events.log.hash_chain import link
from rack.cli import main
from tests.dashboards import living
from tests.dashboards.living import Living
from tests.device_lines import as_lines

NEWER = (
    b'{"event_id":"ab","type":"dealer_tapped_in","round_no":null,"gaming_day":"2026-03-01","occurred_at_us":1,"recorded_at_us":1,'
    b'"payload":{}}'
)
"""A later version's event, whose fields have other names."""

FIGURES = (
    "open", "game", "dealer", "gaming_day", "rounds", "last_round_no", "house_win_cents", "bought_in_cents", "drop_cents",
    "findings", "waiting", "seq",
)  # fmt: skip


def figures(tables: list[LiveTable]) -> dict[str, dict[str, object]]:
    return {table.table_id: {name: getattr(table, name) for name in FIGURES} for table in tables}


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Living:
    """Two simulated gaming days with faults of every kind in them, replayed."""
    out = tmp_path_factory.mktemp("live")
    assert main(["demo", "--out", str(out), "--rounds", "96", "--seed", "7", "--quiet"]) in (0, 1)
    return Living(f"sqlite://{out}/floor.db", out / "warehouse.duckdb")


def test_from_the_warehouse_on_and_from_the_first_event_on_the_figures_are_the_same(day: Living) -> None:
    with reading(day.warehouse) as db:
        base = live.base(db)
    with desk_at(day.log, read_only=True) as desk:
        onward = figures(LiveTables(desk, base).refresh())
        whole = figures(LiveTables(desk, {}).refresh())
    assert onward == whole
    assert len(whole) >= 2
    assert all(table["rounds"] and table["open"] is False and table["bought_in_cents"] for table in whole.values())


def test_the_figures_are_those_of_the_warehouse(day: Living) -> None:
    with reading(day.warehouse) as db, desk_at(day.log, read_only=True) as desk:
        tables = LiveTables(desk, {}).refresh()
        for table in tables:
            (row,) = db.execute(
                "SELECT rounds, house_win_cents, buy_ins_cents, drop_cents, findings FROM fct_table_days "
                "WHERE stream = ? AND gaming_day = ?",
                [table.stream, table.gaming_day],
            ).fetchall()
            assert row == (table.rounds, table.house_win_cents, table.bought_in_cents, table.drop_cents, len(table.findings))


@pytest.fixture
def floor(tmp_path: Path) -> Living:
    return living.make(tmp_path)


def one(at: LiveTables) -> LiveTable:
    (table,) = at.refresh()
    return table


def test_what_is_appended_and_judged_counts_once(floor: Living) -> None:
    with reading(floor.warehouse) as db:
        base = live.base(db)
    with desk_at(floor.log, read_only=True) as desk:
        at = LiveTables(desk, base)
        assert (one(at).rounds, one(at).house_win_cents, len(one(at).findings)) == (2, -20_000, 2)
        floor.play([3])
        assert (one(at).rounds, one(at).house_win_cents, len(one(at).findings)) == (3, -30_000, 3)
        assert one(at).last_round_no == 3


def test_a_round_that_is_not_judged_waits(floor: Living) -> None:
    transcript = floor.warehouse.with_name("more.txt")
    transcript.write_text(living.RULES + living.SHORT.format(number=3))
    with desk_at(floor.log, read_only=True) as desk:
        at = LiveTables(desk, {})
        assert one(at).rounds == 2
        floor.rack("ingest", str(as_lines(transcript)), "--property", "bellwether", code=0)
        assert (one(at).rounds, one(at).waiting) == (2, {3})
        floor.rack("replay", code=1)
        assert (one(at).rounds, one(at).waiting) == (3, set())


def test_a_round_judged_again_replaces_what_it_said_before(floor: Living) -> None:
    with desk_at(floor.log, read_only=True) as desk:
        at = LiveTables(desk, {})
        table = one(at)
        before = (table.rounds, table.house_win_cents, dict(table.findings))
        table.waiting = {1, 2}  # as after a correction
        again = one(at)
        assert (again.rounds, again.house_win_cents, dict(again.findings)) == before


def append_raw(floor: Living, stream: str, data: bytes) -> None:
    """Put bytes behind the last event of a stream, with the hash that the chain wants, as a newer program could."""
    with closing(sqlite3.connect(floor.warehouse.with_name("floor.db"))) as database, database:
        (seq, before) = database.execute(
            "SELECT seq, hash FROM events WHERE stream = ? ORDER BY seq DESC LIMIT 1", [stream]
        ).fetchone()
        row = (stream, seq + 1, data, link(before, data))
        database.execute("INSERT INTO events (stream, seq, data, hash) VALUES (?, ?, ?, ?)", row)


@pytest.mark.parametrize("data", [b"\xff", b"{}", b'{"type":1}', NEWER], ids=["no text", "no event", "no type", "newer"])
def test_an_event_that_cannot_be_read_ends_what_is_said_of_its_table(floor: Living, data: bytes) -> None:
    append_raw(floor, "table/fu-01", data)
    with desk_at(floor.log, read_only=True, check_heads=False) as desk:
        at = LiveTables(desk, {})
        table = one(at)
        assert (table.rounds, table.house_win_cents) == (2, -20_000)
        assert f"table/fu-01: event {table.seq + 1} cannot be read" in table.broken
        append_raw(floor, "table/fu-01", data)
        assert one(at).broken == table.broken, "nothing after it is read"


def test_a_stream_that_begins_while_the_floor_is_read_does_no_harm(floor: Living) -> None:
    with desk_at(floor.log, read_only=True) as desk:
        known = desk.log.streams()
        (finding, *_) = desk.cases()
        floor.rack("review", "note", finding.finding.id, "--by", "m.ortiz", "--reason", "seen", code=0)
        assert desk.log.streams() != known
        desk.log.streams = lambda: known  # as a moment ago
        assert one(LiveTables(desk, {})).rounds == 2


def test_pace_is_that_of_the_last_rounds() -> None:
    table = LiveTable(stream="table/a")
    assert table.pace_rounds_per_hour is None
    table.closings.append(0)
    assert table.pace_rounds_per_hour is None
    table.closings.extend(n * 90_000_000 for n in range(1, 41))  # a round each minute and a half
    assert table.pace_rounds_per_hour == pytest.approx(40)
    assert len(table.closings) == live.PACE_ROUNDS


@pytest.mark.parametrize(
    ("corrections", "drop_cents"),
    [
        ((), 100),
        (((4, "a", 250),), 250),
        (((4, "a", None),), None),
        (((4, "b", 250),), 100),  # by another id
        (((4, "a", 250), (5, "c5", None)), 100),  # taken back
        (((4, "a", 250), (5, "c5", None), (6, "c6", None)), 250),
        (((2, "e2", 250),), 350),  # in the place of an event that was not read here
    ],
)
def test_a_drop_counts_as_corrected_by_what_fits_and_was_not_taken_back(
    corrections: tuple[tuple[int, str, int | None], ...], drop_cents: int | None
) -> None:
    table = LiveTable(stream="table/fu-01", gaming_day="2026-03-01")
    drop = {"amount_cents": 100, "box": "b-1", "by": "c-1", "gaming_day": "2026-03-01"}
    _read_into(table, 4, msgspec.json.encode(_event("a", "drop_counted", drop)))
    for seq, (corrected, event_id, cents) in enumerate(corrections, 5):
        other = {"payload": drop | {"amount_cents": cents}, "round_no": None, "type": "drop_counted", "version": 1}
        said = {"by": "c-1", "reason": "typed wrong", "replacement": None if cents is None else other}
        named = {"supersedes_event_id": f"{event_id:0>32}", "supersedes_seq": corrected}
        _read_into(table, seq, msgspec.json.encode(_event(f"c{seq}", "event_corrected", said | named)))
    assert (table.drop_cents, table.broken) == (drop_cents, "")


def _event(event_id: str, type_: str, payload: dict[str, Any]) -> dict[str, Any]:
    times = {"occurred_at_us": 1, "recorded_at_us": 1, "gaming_day": "2026-03-01", "round_no": None}
    return {"event_id": f"{event_id:0>32}", "type": type_, "payload": payload} | times
