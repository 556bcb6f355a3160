"""Where events may stand, and who writes them: every type has its row, and no row says too much."""

import pytest

from events.errors import WrongPlace
from events.vocabulary import model, places
from events.vocabulary.model import REGISTRY, Event, at, event
from events.vocabulary.places import PLACES, check_place, writers_of

KINDS = ("table", "meter", "review", "property", "observed")
TYPES = sorted({type_ for type_, _ in REGISTRY})


def test_every_registered_type_has_a_row_and_no_row_is_of_another() -> None:
    assert sorted(PLACES) == TYPES


WRITERS = {
    "table": {"device", "pit", "count", "office", "intake"},
    "meter": {"device", "intake"},
    "review": {"desk"},
    "observed": {"desk"},
    "property": {"office", "keys"},
}


def test_devices_and_people_of_the_house_write_at_tables_and_nobody_else_but_intake() -> None:
    """Review events are the desk's, property events the office's and keys'; a table's rules are the office's to file, too."""
    assert WRITERS.keys() == set(KINDS)
    for type_ in TYPES:
        assert PLACES[type_], type_
        for kind, writers in PLACES[type_].items():
            assert set() < writers <= WRITERS[kind], type_
            several = type_ in ("gaming_day_opened", "rules_filed", "entry_initialed")
            assert several or len(writers - {"pit", "count"}) == 1, type_


PIT = [
    "credit_sent",
    "dealer_tapped_in",
    "dealer_tapped_out",
    "device_alarmed",
    "device_covered",
    "device_failed",
    "device_restored",
    "entry_initialed",
    "event_corrected",
    "fill_received",
    "gaming_day_opened",
    "inventory_counted",
    "shift_changed",
    "table_closed",
    "table_opened",
]


@pytest.mark.parametrize(
    ("writer", "types"),
    [
        ("pit", PIT),
        ("count", ["drop_counted", "event_corrected"]),
        ("office", ["gaming_day_opened", "rules_filed", "filing_signed", "chapter_published"]),
    ],
)
def test_people_write_at_tables_what_is_theirs(writer: str, types: list[str]) -> None:
    """Of the rounds they write nothing: what was not recorded as it was played is an observation."""
    assert sorted(type_ for type_ in TYPES if writer in writers_of("table/a", type_)) == sorted(types)
    others = [kind for kind in KINDS if kind != "table"]
    if writer != "office":
        assert not [type_ for type_ in TYPES for kind in others if writer in writers_of(f"{kind}/a", type_)]


@pytest.mark.parametrize(
    ("cls", "row"),
    [
        (model.WagerPlaced, {"table": {"device"}, "observed": {"desk"}}),
        (model.RoundOpened, {"table": {"device"}}),
        (model.RoundObserved, {"observed": {"desk"}}),
        (model.EntryConfirmed, {"observed": {"desk"}}),
        (model.DealerTappedIn, {"table": {"device", "pit"}}),
        (model.RulesFiled, {"table": {"device", "office"}}),
        (model.MeterAdvanced, {"meter": {"device"}}),
        (model.MysteryHit, {"table": {"device"}, "meter": {"device"}, "observed": {"desk"}}),
        (model.EventCorrected, {"table": {"device", "pit", "count"}, "meter": {"device"}, "observed": {"desk"}}),
        (model.IntakeRefused, {"table": {"intake"}, "meter": {"intake"}}),
        (model.PropertyConfigured, {"property": {"office"}}),
        (model.KeyPublished, {"property": {"keys"}}),
        (model.KeyRetired, {"property": {"keys"}}),
        (model.FindingResolved, {"review": {"desk"}}),
        (model.RecordViewed, {"review": {"desk"}}),
        (
            model.GamingDayOpened,
            {
                "table": {"device", "office", "pit"},
                "meter": {"device"},
                "review": {"desk"},
                "observed": {"desk"},
                "property": {"office", "keys"},
            },
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


def test_a_type_without_a_row_is_not_registered() -> None:
    class Rowless(Event, frozen=True):
        """Never registered."""

    with pytest.raises(TypeError, match="in which streams it may be"):
        event("rowless")(Rowless)
    with pytest.raises(TypeError, match="each with its writers"):
        at(table="nobody")
    assert ("rowless", 1) not in REGISTRY


def test_a_type_without_a_row_stands_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(PLACES, "surrendered")
    for kind in ("table", "observed"):
        monkeypatch.delitem(places._WRITERS, (kind, "surrendered"))
    for kind in KINDS:
        with pytest.raises(WrongPlace, match="no such event"):
            check_place(f"{kind}/a", model.Surrendered(seat=1))


@pytest.mark.parametrize("stream", ["tables/a", "t/a", "", "/a", "property"])
def test_in_a_stream_of_no_kind_nothing_stands_and_nobody_writes(stream: str) -> None:
    assert not writers_of(stream, "surrendered")
    with pytest.raises(WrongPlace):
        check_place(stream, model.Surrendered(seat=1))
