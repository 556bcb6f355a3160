"""A round's events folded to what lies on the table, and each said in a sentence."""

import json
from typing import Any

import msgspec
import pytest

from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import ReplayStep, Table, steps_of, table_after
from events.vocabulary.model import REGISTRY
from replay.narrative.events import sentence_of
from tests.dashboards import sample

FORMATS = Formats.of(sample.FACTS)
STEPS = steps_of(sample.rounds_events()[0].events)


def steps(*events: tuple[str, dict[str, Any]]) -> list[ReplayStep]:
    return steps_of(sample.recorded("table/a", 1, list(events)).events)


def after(*events: tuple[str, dict[str, Any]]) -> Table:
    return table_after(steps(*events), len(events))


def wager(cents: int, kind: str = "wager_placed") -> tuple[str, dict[str, Any]]:
    common = {"seat": 2, "bettor": "p", "wager": "base", "number": None, "amount_cents": cents}
    return kind, {**common, **({"form": "chips"} if kind == "wager_placed" else {})}


@pytest.mark.parametrize("step", STEPS, ids=lambda s: f"{s.seq} {s.type}")
def test_the_sample_is_made_of_events_of_the_vocabulary(step: ReplayStep) -> None:
    msgspec.convert(json.loads(step.raw), REGISTRY[step.type, 1], strict=True)


def test_before_the_first_step_the_table_is_empty() -> None:
    table = table_after(STEPS, 0)
    assert not any(box.cards or box.chips for box in table.boxes.values())
    assert table.focus is None


def test_after_the_last_step_hands_are_set_and_wagers_settled() -> None:
    table = table_after(STEPS, len(STEPS))
    assert table.box(3).high == ["As", "9h", "7c", "5s", "2d"]
    assert table.box("dealer").low == ["Kd", "Jc"]
    assert table.box(3).settled == [("base", "push", 0), ("ace_high_bonus", "paid", 10_000)]
    assert not any(box.chips for box in table.boxes.values())
    assert (table.dice, table.total, table.start, table.stub, table.closed) == ([2, 2, 4], 8, "dealer", 4, True)


def test_the_focus_is_the_position_the_event_is_about() -> None:
    paid = sample.PAID_SEQ - sample.DISPUTE_FIRST_SEQ + 1
    assert table_after(STEPS, paid).focus == 3
    assert table_after(STEPS, 1).focus is None


def test_wagers_grow_shrink_and_go() -> None:
    assert after(wager(2500), wager(500)).box(2).chips == {"base": 3000}
    assert after(wager(2500), wager(500, "wager_removed")).box(2).chips == {"base": 2000}
    assert after(wager(2500), wager(2500, "wager_removed")).box(2).chips == {}


def corrected(seq: int, replacement: dict[str, Any] | None, *, event_id: str | None = None) -> tuple[str, dict[str, Any]]:
    """A correction of an event of table/a; with another id than the event's own if one is given."""
    named = sample.event_id("table/a", seq) if event_id is None else event_id
    return "event_corrected", {
        "supersedes_seq": seq,
        "supersedes_event_id": named,
        "replacement": replacement,
        "by": "f",
        "reason": "x",
    }


FIFTY = {"type": "wager_placed", "version": 1, "round_no": 1, "payload": wager(5000)[1]}


def test_a_corrected_event_is_shown_as_its_replacement_from_the_correction_on() -> None:
    events = steps(wager(2500), corrected(1, FIFTY))
    assert table_after(events, 1).box(2).chips == {"base": 2500}
    assert table_after(events, 2).box(2).chips == {"base": 5000}


def test_a_corrected_event_that_never_happened_is_gone() -> None:
    assert after(wager(2500), corrected(1, None)).box(2).chips == {}


@pytest.mark.parametrize(
    ("events", "cents"),
    [
        ([wager(2500), corrected(1, FIFTY)], 5000),
        ([wager(2500), corrected(1, FIFTY, event_id="0" * 32)], 2500),  # another event's id
        ([wager(2500), corrected(1, FIFTY, event_id=sample.event_id("table/a", 2))], 2500),  # the next event's id
        ([corrected(2, FIFTY), wager(2500)], 2500),  # an event that does not are before it
        ([wager(2500), corrected(1, FIFTY), corrected(1, None)], None),  # the last word counts
        ([wager(2500), corrected(1, FIFTY), corrected(2, None)], 2500),  # the correction was taken back
        ([wager(2500), corrected(1, FIFTY), corrected(1, None, event_id="0" * 32)], 5000),  # one that fits stands
    ],
)
def test_a_correction_counts_where_number_and_id_name_one_earlier_event(
    events: list[tuple[str, dict[str, Any]]], cents: int | None
) -> None:
    assert after(*events).box(2).chips.get("base") == cents


def test_an_event_that_moved_to_another_round_is_not_drawn() -> None:
    rows = sample.recorded("table/a", 1, [wager(2500), corrected(1, {**FIFTY, "round_no": 2})]).events
    assert table_after(steps_of([{**row, "round_no": 1} for row in rows]), 2).box(2).chips == {}
    assert table_after(steps_of([{**row, "round_no": 2} for row in rows]), 2).box(2).chips == {"base": 5000}


def test_a_progressive_in_play_is_collected_at_the_lock() -> None:
    placed = ("wager_placed", {**wager(500)[1], "wager": "progressive"})
    locked = ("progressive_locked", {"accepted": 1, "collected": 1})
    box = after(wager(2500), placed, locked).box(2)
    assert box.collected == {"progressive"}
    assert box.chips == {"base": 2500, "progressive": 500}


def test_voids_marks_aside_cards_and_new_dice() -> None:
    dice = {"dice": [1, None, 6], "colours": ["red", "blue", "white"], "lie": "not_flat"}
    table = after(
        ("total_announced", {"total": 8}),
        ("dice_rolled", dice),
        ("cards_dealt", {"to": "burn", "cards": ["4c"], "face_up": False}),
        ("card_found_face_up", {"card": None}),
        ("surrendered", {"seat": 1}),
        ("hand_elected", {"seat": 2, "election": "void"}),
        ("round_voided", {"scope": 4, "reason": "exposed_card"}),
        ("round_voided", {"scope": "round", "reason": "stub_count"}),
        ("something_new", {"seat": 5}),
    )
    assert (table.dice, table.lie, table.total) == ([1, None, 6], "not_flat", None)
    assert table.aside == ["4c", None]
    assert [table.box(seat).mark for seat in (1, 2, 4)] == ["surrendered", "hand void", "hand void"]
    assert (table.voided, table.focus) == ("stub_count", 5)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (STEPS[2], "Seat 1 wagered $25.00 on the Base wager"),
        (STEPS[14], "The dice showed 2, 2 and 4"),
        (
            STEPS[sample.PAID_SEQ - sample.DISPUTE_FIRST_SEQ],
            "The dealer paid seat 3 $100.00 on the Ace High Bonus, and returned the $10.00 stake",
        ),
        (steps(("something_new", {}))[0], "Something new"),
        (
            steps(("hand_set", {"position": "dealer", "high": ["Ks", None], "medium": [], "low": ["Jk"], "by": "dealer"}))[0],
            "The dealer set the hand: high K♠ ?; low Joker",
        ),
        (
            steps(("round_voided", {"scope": "round", "reason": "wrong_start"}))[0],
            "The round was declared void: wrong starting position",
        ),
        (
            steps(("shaker_shaken", {"times": None, "duration_ms": 5200, "covered": True}))[0],
            "The shaker shook the dice for 5.2 s",
        ),
    ],
)
def test_an_event_in_a_sentence(event: ReplayStep, sentence: str) -> None:
    assert sentence_of(event.type, event.payload, FORMATS.currency) == sentence
