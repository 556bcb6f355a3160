"""The Round and Dispute pages hold the events they show against the log when they open; what does not fit shows no verdict."""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from analytics import shown_events
from dashboards.parts import desk, record_check, verification_run
from rack.cli import main
from tests.contract.backends import SqliteTamper
from tests.dashboards import living, sample
from tests.dashboards.living import Living
from tests.dashboards.running import run, said, start
from tests.dashboards.undetermined import RIGHT, _about_verdicts
from tests.device_lines import as_lines

TABLE = "table/fu-01"
PAID = living.SHORT.replace("ace_high_bonus 100.00", "ace_high_bonus 200.00")
"""The bonus is paid as it is due."""
PAGES = {"round": "table", "dispute": "of"}
CONFIRMED = "Checked now: the"
REFUSED = "The events of this round are not confirmed by the log, so no verdict is shown"

Attack = Callable[[SqliteTamper, Path, int], None]
"""Alters the log, or the warehouse at a path, at the number of an event of the round."""


def forget() -> None:
    """As if the pages had been started again."""
    for cache in (desk._read, record_check._check_of, verification_run.status_of):
        cache.clear()


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a floor with three rounds, each paid as due."""
    folder = tmp_path_factory.mktemp("played")
    made = Living(f"sqlite://{folder}/floor.db", folder / "warehouse.duckdb")
    (folder / "rounds.txt").write_text(living.RULES + "".join(PAID.format(number=number) for number in (1, 2, 3)))
    made.rack("ingest", str(as_lines(folder / "rounds.txt")), "--property", "bellwether", code=0)
    made.rack("replay", "--warehouse", str(made.warehouse), code=0)
    return folder


@pytest.fixture
def floor(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Living:
    """A copy of that floor, and pages that were just started on it."""
    for path in played.iterdir():
        if not path.name.endswith(("-shm", ".lock")):
            shutil.copyfile(path, tmp_path / path.name)
    floor = Living(f"sqlite://{tmp_path}/floor.db", tmp_path / "warehouse.duckdb")
    floor.serve(monkeypatch)
    forget()
    return floor


def opened(page: str, round_no: int = 2) -> str:
    forget()
    return said(start(page, round=str(round_no), **{PAGES[page]: "fu-01"}))


def middle(floor: Living) -> int:
    """Return the number of the event of round 2 that pays."""
    with duckdb.connect(str(floor.warehouse), read_only=True) as db:
        (row,) = db.sql("SELECT seq FROM round_events WHERE round_no = 2 AND type = 'wager_paid'").fetchall()
    return int(row[0])


def changed(hand: SqliteTamper, seq: int) -> None:
    data = hand.data(TABLE, seq)
    assert b'"winnings_cents":20000' in data
    hand.replace(TABLE, seq, data.replace(b'"winnings_cents":20000', b'"winnings_cents":10000'))


def rechained(hand: SqliteTamper, first: int, last: int) -> None:
    """Change an event, and compute the hashes again from it up to another; those after it stay."""
    sql = "SELECT seq, hash FROM events WHERE stream = ? AND seq > ?"
    stay = hand.execute(sql, TABLE, last)
    changed(hand, first)
    hand.rechain(TABLE, first)
    for seq, hash_ in stay:
        hand.execute("UPDATE events SET hash = ? WHERE stream = ? AND seq = ?", hash_, TABLE, seq)


def bytes_only(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    changed(hand, seq)


def bytes_and_own_hash(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    rechained(hand, seq, seq)


def bytes_and_hashes_to_the_end_of_the_round(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    rechained(hand, seq, seq + 1)


def bytes_and_every_later_hash(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    changed(hand, seq)
    hand.rechain(TABLE, seq)


def hash_only(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    hand.execute("UPDATE events SET hash = ? WHERE stream = ? AND seq = ?", bytes(32), TABLE, seq)


def removed(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    hand.remove(TABLE, seq)


def swapped(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    hand.swap(TABLE, seq, seq + 1)


def cut_within_the_round(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    hand.cut(TABLE, seq)


def cut_after_the_round(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    hand.cut(TABLE, seq + 6)


def later_bytes(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
    """An event of the next round: the chain on which this one hangs is broken."""
    hand.replace(TABLE, seq + 8, hand.data(TABLE, seq + 8).replace(b"0", b"1", 1))


def in_the_warehouse(sql: str) -> Attack:
    def alter(hand: SqliteTamper, warehouse: Path, seq: int) -> None:
        with duckdb.connect(str(warehouse)) as db:
            db.execute(sql, [seq])

    return alter


ATTACKS: dict[str, Attack] = {
    "bytes only": bytes_only,
    "bytes and own hash": bytes_and_own_hash,
    "bytes and hashes to the end of the round": bytes_and_hashes_to_the_end_of_the_round,
    "bytes and every later hash": bytes_and_every_later_hash,
    "hash only": hash_only,
    "record removed": removed,
    "records swapped": swapped,
    "cut within the round": cut_within_the_round,
    "cut after the round": cut_after_the_round,
    "bytes of a later round": later_bytes,
    "payload in the warehouse": in_the_warehouse(
        "UPDATE round_events SET payload = replace(payload, '20000', '10000') WHERE round_no = 2 AND seq = ?"
    ),
    "hash in the warehouse": in_the_warehouse("UPDATE round_events SET hash = repeat('0', 64) WHERE round_no = 2 AND seq = ?"),
    "type in the warehouse": in_the_warehouse("UPDATE round_events SET type = 'wager_taken' WHERE round_no = 2 AND seq = ?"),
    "time in the warehouse": in_the_warehouse("UPDATE round_events SET occurred_at_us = 1 WHERE round_no = 2 AND seq = ?"),
    "source in the warehouse": in_the_warehouse("UPDATE round_events SET source = 'x' WHERE round_no = 2 AND seq = ?"),
    "row removed from the warehouse": in_the_warehouse("DELETE FROM round_events WHERE round_no = 2 AND seq = ?"),
    "first rows removed from the warehouse": in_the_warehouse("DELETE FROM round_events WHERE round_no = 2 AND seq < ?"),
    "last rows removed from the warehouse": in_the_warehouse("DELETE FROM round_events WHERE round_no = 2 AND seq >= ?"),
    "all rows removed from the warehouse": in_the_warehouse("DELETE FROM round_events WHERE round_no = 2 AND seq <> -?"),
    "row of another round put in": in_the_warehouse("UPDATE round_events SET round_no = 2 WHERE round_no = 3 AND seq > ?"),
    "row beyond the end": in_the_warehouse("UPDATE round_events SET seq = 100000 WHERE round_no = 2 AND seq = ?"),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_sound_round_says_what_was_checked(floor: Living, page: str) -> None:
    shown = opened(page)
    assert CONFIRMED in shown
    assert "up to the end that was acknowledged on this machine" in shown
    assert REFUSED not in shown
    assert "Every wager in this round was settled as the rules say." in shown
    assert any(mark in _about_verdicts(shown) for mark in RIGHT)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_what_was_altered_shows_no_verdict(floor: Living, page: str, attack: str) -> None:
    ATTACKS[attack](SqliteTamper(floor.warehouse.with_name("floor.db")), floor.warehouse, middle(floor))
    shown = opened(page)
    assert REFUSED in shown
    assert CONFIRMED not in shown
    for words in ("settled as the rules say", "is owed", "UPHELD", "Upheld", "rk-drawing", "as due"):
        assert words not in _about_verdicts(shown)
    assert not any(mark in _about_verdicts(shown) for mark in RIGHT)


def test_an_earlier_round_stands_where_a_later_one_is_beyond_what_is_read(floor: Living, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is not read is said: the sentence names the last event whose hash was checked."""
    monkeypatch.setattr(shown_events, "FORWARD", 1)
    shown = opened("round", 1)
    assert "The rest of the stream up to" in shown
    SqliteTamper(floor.warehouse.with_name("floor.db")).replace(TABLE, middle(floor), b"{}")
    assert CONFIRMED in opened("round", 1)
    assert REFUSED in opened("round", 2)


def test_without_a_mark_on_this_machine_the_page_says_so(floor: Living) -> None:
    floor.warehouse.with_name("floor.db.high-water").unlink()
    assert "No end of the stream was acknowledged on this machine" in opened("round")


def test_a_log_that_cannot_be_read_confirms_nothing(floor: Living) -> None:
    floor.warehouse.with_name("floor.db").unlink()
    shown = opened("round")
    assert REFUSED in shown
    assert "The log cannot be read: there is no log at" in shown


def test_events_newer_than_the_warehouse_are_named_with_what_to_do(floor: Living) -> None:
    """A correction of the round that the warehouse has not got yet: the verdict may be another by now."""
    with duckdb.connect(str(floor.warehouse)) as db:
        db.execute("DELETE FROM round_events WHERE round_no = 2 AND type = 'round_closed'")
    shown = opened("round")
    assert "the log holds 1 event of this round that the warehouse does not show" in shown
    assert f"<code>rack replay --log {floor.log} --warehouse {floor.warehouse}</code>" in shown


def test_without_a_log_the_page_says_that_nothing_was_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = said(run("round", sample.make(tmp_path / "w"), monkeypatch, table="fu-01", round="17"))
    assert "Not checked against the log" in shown


# ------------------------------------------------------------------------------------------ a verification that failed

EVERY_PAGE = ("floor", "queue", "round", "dispute", "hold", "dealers", "fairness", "integrity", "rules", "health")
FAILED = "The last full verification of the log failed"


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_a_failed_verification_stands_on_every_page(floor: Living, page: str) -> None:
    bytes_only(SqliteTamper(floor.warehouse.with_name("floor.db")), floor.warehouse, middle(floor))
    assert main(["verify", "--log", floor.log, "--by", "a.auditor", "--quiet"]) == 4
    forget()
    shown = said(start(page))
    assert FAILED in shown
    assert "by a.auditor: FAILED: LOG-SEAL table/fu-01 event" in shown
    assert "<a href=" in shown.partition(FAILED)[2]


@pytest.mark.parametrize("page", EVERY_PAGE)
def test_a_verification_that_passed_or_none_is_no_banner(floor: Living, page: str) -> None:
    for verified in (False, True):
        if verified:
            floor.rack("verify", code=0)
        forget()
        shown = said(start(page))
        assert FAILED not in shown
        assert "no longer holds what was last verified" not in shown


def test_a_log_altered_since_its_verification_says_so(floor: Living) -> None:
    floor.rack("verify", code=0)
    bytes_and_every_later_hash(SqliteTamper(floor.warehouse.with_name("floor.db")), floor.warehouse, middle(floor))
    forget()
    assert "The log no longer holds what was last verified" in said(start("floor"))


def test_a_notice_that_cannot_be_read_is_said_on_every_page(floor: Living) -> None:
    floor.warehouse.with_name("floor.db.verified").write_text("<script>alert(1)</script>")
    forget()
    shown = said(start("floor"))
    assert "The notice of the last verification cannot be read" in shown
    assert "alert(1)" not in shown.replace("&lt;script&gt;alert(1)", "")


def test_what_a_notice_says_is_text(floor: Living) -> None:
    floor.rack("verify", "--by", "<b>x</b>", code=0)
    path = floor.warehouse.with_name("floor.db.verified")
    path.write_text(path.read_text().replace('"ok": true', '"ok": false'))
    forget()
    assert "&lt;b&gt;x&lt;/b&gt;" in said(start("floor"))


def test_health_tells_when_by_whom_and_with_which_result(floor: Living) -> None:
    forget()
    assert "Not yet verified." in said(start("health"))
    floor.rack("verify", "--by", "a.auditor", code=0)
    forget()
    shown = said(start("health"))
    assert "by a.auditor: passed: no break was found in 32 events in 1 stream, but no checkpoint signs the log" in shown
    assert "the log is whole" not in shown
    assert "Note" in shown
    floor.rack("verify", "--by", "b.auditor", code=0)
    SqliteTamper(floor.warehouse.with_name("floor.db")).remove(TABLE, 3)
    assert main(["verify", "--log", floor.log, "--by", "c.auditor", "--quiet"]) == 4
    forget()
    shown = said(start("health"))
    assert "by c.auditor: FAILED: LOG-GAP table/fu-01 event 3" in shown
    assert "somebody now" in shown


def test_the_page_verifies_in_the_name_of_who_is_logged_in(floor: Living) -> None:
    from desk.verification.last_verification import read, record_path
    from tests.dashboards.running import log_in

    log_in("a.auditor@bellwether.example", "auditor")
    test = start("integrity")
    next(each for each in test.button if each.label == "Verify log").click().run(timeout=120)
    kept = read(record_path(floor.log))
    assert kept is not None
    assert (kept.last.by, kept.last.ok) == ("a.auditor@bellwether.example", True)
