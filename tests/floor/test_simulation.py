"""The simulated floor as a whole: the same seed gives the same bytes, every fault is planted, and the labels are apart."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from events.vocabulary import model
from events.vocabulary.codec import encode_draft
from floor.day.gaming_day import simulate
from rulebook.chapters.rulebook import parse_submission
from rulebook.settlement.progressive import after_winner, contribution, share_cents
from tests.floor.simulated import Floor

NAME = "face_up_pai_gow"
FLOOR = Floor(NAME)


def test_a_line_is_the_stream_and_the_draft(tmp_path: Path) -> None:
    simulation = simulate(5, 20)
    simulation.write(tmp_path / "out.jsonl")
    made = [(stream, draft) for stream, drafts in simulation.groups() for draft in drafts]
    assert len(made) == simulation.events
    for name, office in (("out.jsonl", False), ("out.jsonl.office.jsonl", True)):
        lines = (tmp_path / name).read_bytes().splitlines()
        written = [(stream, draft) for stream, draft in made if (stream == "property/main") == office]
        assert written
        for line, (stream, draft) in zip(lines, written, strict=True):
            fields = msgspec.json.decode(line)
            assert fields.pop("stream") == stream
            assert fields == msgspec.json.decode(encode_draft(draft))


def test_a_small_simulation_is_mostly_plain() -> None:
    simulation = simulate(9, 100)
    assert len(simulation.labels) <= 20
    made = Counter(label.kind for label in simulation.legitimate if label.kind != "two_deck_shuffle")
    assert made.total() <= 40


def test_without_faults_nothing_is_planted() -> None:
    simulation = simulate(3, 120, plant=False)
    assert simulation.labels == []
    assert simulation.legitimate


def test_refuses_what_cannot_be_simulated() -> None:
    with pytest.raises(ValueError, match="at least 5"):
        simulate(1, 10, tables=4)
    with pytest.raises(ValueError, match="0 rounds"):
        simulate(1, 0)


def test_more_tables_and_more_days() -> None:
    simulation = simulate(2, 150, tables=7)
    names = {stream for stream, _ in simulation.groups()}
    assert {f"table/fu-{number:02d}" for number in range(1, 8)} <= names
    assert simulation.rounds == 150


def test_meters_follow_from_their_events_but_where_planted() -> None:
    """Every reading is the one before plus the contribution, or after a winner; the tables carry the same values."""
    planted = {(label.stream, label.table, label.round_no, label.seat) for label in FLOOR.simulation.labels}
    events: dict[tuple[str, int], object] = {}
    meters = 0
    for stream, drafts in FLOOR.streams.items():
        if not stream.startswith("meter/"):
            continue
        meters += 1
        value = reserve = 0
        paytable: model.MeterSet | None = None
        for seq, draft in enumerate(drafts, 1):
            event = draft.payload
            events[stream, seq] = event
            if isinstance(event, model.MeterSet):
                paytable, value, reserve = event, event.value_centicents, event.reserve_centicents
            elif isinstance(event, model.MeterAdvanced):
                assert paytable is not None
                value += contribution(event.wager_cents, paytable.rate_bp)
                reserve += contribution(event.wager_cents, paytable.reserve_rate_bp)
                wrong = (stream, event.table, event.round_no, event.seat) in planted
                assert (event.value_centicents != value) is wrong, (stream, seq)
                assert event.reserve_centicents == reserve
                value = event.value_centicents
            elif isinstance(event, model.MeterReset):
                assert paytable is not None
                assert event.paid_centicents == share_cents(value, event.share_bp) * 100
                value = after_winner(value, event.share_bp, paytable.seed_cents)
                assert event.value_centicents == value
    assert meters >= 4
    touched = 0
    for stream, drafts in FLOOR.streams.items():
        for draft in drafts:
            event = draft.payload
            if isinstance(event, model.ProgressiveAccepted):
                advanced = events[f"meter/{event.meter}", event.meter_seq]
                assert isinstance(advanced, model.MeterAdvanced)
                assert (advanced.round_no, advanced.seat) == (draft.round_no, event.seat)
                assert advanced.table == stream.removeprefix("table/")
                assert advanced.value_centicents == event.reading_centicents
                touched += 1
            elif isinstance(event, model.ProgressiveWon):
                reset = events[f"meter/{event.meter}", event.meter_seq]
                assert isinstance(reset, model.MeterReset)
                assert (reset.value_centicents, reset.share_bp) == (event.after_centicents, event.share_bp)
    assert touched > 100


def test_all_paytables_ways_of_dealing_and_shufflers_are_used() -> None:
    used: set[tuple[str, str]] = set()
    for drafts in FLOOR.streams.values():
        day = ""
        filed: dict[str, str] = {}
        for draft in drafts:
            match draft.payload:
                case model.GamingDayOpened():
                    day = draft.payload.gaming_day
                case model.RulesFiled():
                    filed[draft.payload.effective_gaming_day] = draft.payload.toml
                case model.TableOpened():
                    used |= {("deal", draft.payload.deal_method), ("shuffler", draft.payload.shuffler)}
                    book = parse_submission(filed[max(each for each in filed if each <= day)])
                    used.add(("start", book.starting))
                    used.add(("linked", str(book.linked_meter)))
                    used |= {(w, o.paytable.name) for w, o in book.offers.items() if o.paytable is not None}
    expected = {("ace_high_bonus", str(n)) for n in range(1, 6)} | {("fortune_bonus", str(n)) for n in range(1, 7)}
    expected |= {("progressive", str(n)) for n in range(1, 8)}
    expected |= {("deal", each) for each in ("manual_shoe", "hand", "automated_shoe")}
    expected |= {("shuffler", each) for each in ("none", "automated", "automated_counting")}
    expected |= {("start", "shaker"), ("start", "number"), ("linked", "True"), ("linked", "False")}
    assert used == expected
