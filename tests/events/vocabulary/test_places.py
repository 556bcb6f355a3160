"""Where events may stand, and who writes them: every type has its row, and no row says too much."""

from __future__ import annotations

import pytest

from events.errors import WrongPlace
from events.vocabulary import model, places
from events.vocabulary.model import REGISTRY, Event
from events.vocabulary.places import PLACES, check_place, writers_of

KINDS = ("table", "meter", "review", "property")
TYPES = sorted({type_ for type_, _ in REGISTRY})


def test_every_registered_type_has_a_row_and_no_row_is_of_another() -> None:
    assert sorted(PLACES) == TYPES


@pytest.mark.parametrize("type_", TYPES)
def test_a_row_names_kinds_of_streams_and_at_least_one_writer_for_each(type_: str) -> None:
    row = PLACES[type_]
    assert row.keys() <= set(KINDS)
    assert row
    assert all(writers and writers <= {"device", "desk", "keys", "office", "intake"} for writers in row.values())


@pytest.mark.parametrize("type_", TYPES)
def test_devices_write_at_tables_and_meters_and_nobody_else_writes_there_but_intake(type_: str) -> None:
    """From devices come table and meter events only; review events are the desk's, property events the office's and keys'."""
    for kind, writers in PLACES[type_].items():
        expected = {
            "table": {"device", "intake"},
            "meter": {"device", "intake"},
            "review": {"desk"},
            "property": {"office", "keys"},
        }[kind]
        assert writers <= expected
        assert len(writers) == 1 or type_ == "gaming_day_opened"


@pytest.mark.parametrize(
    ("cls", "row"),
    [
        (model.WagerPlaced, {"table": {"device"}}),
        (model.RulesFiled, {"table": {"device"}}),
        (model.MeterAdvanced, {"meter": {"device"}}),
        (model.MysteryHit, {"table": {"device"}, "meter": {"device"}}),
        (model.EventCorrected, {"table": {"device"}, "meter": {"device"}}),
        (model.IntakeRefused, {"table": {"intake"}, "meter": {"intake"}}),
        (model.PropertyConfigured, {"property": {"office"}}),
        (model.KeyPublished, {"property": {"keys"}}),
        (model.KeyRetired, {"property": {"keys"}}),
        (model.FindingResolved, {"review": {"desk"}}),
        (model.RecordViewed, {"review": {"desk"}}),
        (
            model.GamingDayOpened,
            {"table": {"device"}, "meter": {"device"}, "review": {"desk"}, "property": {"office", "keys"}},
        ),
    ],
)
def test_what_the_contract_says_of_single_types(cls: type[Event], row: dict[str, set[str]]) -> None:
    assert {kind: set(writers) for kind, writers in PLACES[cls.TYPE].items()} == row
    assert {kind: set(writers_of(f"{kind}/a", cls.TYPE)) for kind in KINDS} == {kind: set() for kind in KINDS} | row


def test_every_version_of_a_type_stands_where_the_first_does() -> None:
    check_place("table/fu-01", model.seven_seats(model.Surrendered)(seat=7))
    with pytest.raises(WrongPlace):
        check_place("meter/m", model.seven_seats(model.Surrendered)(seat=7))


def test_a_type_without_a_row_stands_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(PLACES, "surrendered")
    monkeypatch.delitem(places._WRITERS, ("table", "surrendered"))
    for kind in KINDS:
        with pytest.raises(WrongPlace, match="no row for it"):
            check_place(f"{kind}/a", model.Surrendered(seat=1))


@pytest.mark.parametrize("stream", ["tables/a", "t/a", "", "/a", "property"])
def test_in_a_stream_of_no_kind_nothing_stands_and_nobody_writes(stream: str) -> None:
    assert not writers_of(stream, "surrendered")
    with pytest.raises(WrongPlace):
        check_place(stream, model.Surrendered(seat=1))
