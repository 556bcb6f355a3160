"""Old versions become the current one by one step after another; tried with an event that exists only here."""

from collections.abc import Iterator

import msgspec
import pytest

from events.errors import EventError
from events.vocabulary import upcast as module
from events.vocabulary.model import REGISTRY, TABLE, Event, Number, Surrendered, event, seven_seats
from events.vocabulary.upcast import UPCASTERS, upcast, upcaster


class One(Event, frozen=True, kw_only=True):
    """Version 1."""

    dollars: Number


class Two(Event, frozen=True, kw_only=True):
    """Version 2."""

    cents: Number


class Three(Event, frozen=True, kw_only=True):
    """Version 3."""

    cents: Number
    known: bool


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    events, upcasters = dict(REGISTRY), dict(UPCASTERS)
    for version, cls in enumerate((One, Two, Three), 1):
        event("test_only", TABLE, version)(cls)
    yield
    for table, kept in ((REGISTRY, events), (UPCASTERS, upcasters)):
        table.clear()
        table.update(kept)


def test_versions_are_chained() -> None:
    @upcaster("test_only", 1)
    def cents(old: One) -> Two:
        return Two(cents=old.dollars * 100)

    @upcaster("test_only", 2)
    def known(old: Two) -> Three:
        return Three(cents=old.cents, known=False)

    assert upcast(One(dollars=3)) == Three(cents=300, known=False)
    assert upcast(Two(cents=5)) == Three(cents=5, known=False)
    assert upcast(Three(cents=5, known=True)) == Three(cents=5, known=True)
    with pytest.raises(ValueError, match="has an upcaster already"):
        upcaster("test_only", 1)(cents)


def test_a_version_without_a_way_is_refused() -> None:
    with pytest.raises(EventError, match="test_only version 1 has no upcaster to version 2"):
        upcast(One(dollars=3))


def test_an_upcaster_leads_to_the_next_version() -> None:
    upcaster("test_only", 1)(lambda old: Three(cents=1, known=True))
    with pytest.raises(EventError, match="returned test_only v3"):
        upcast(One(dollars=3))


def test_a_result_is_validated() -> None:
    upcaster("test_only", 1)(lambda old: Two(cents=-1))
    with pytest.raises(msgspec.ValidationError):
        upcast(One(dollars=3))


def test_the_current_version_stays() -> None:
    assert upcast(Surrendered(seat=1)) == Surrendered(seat=1)


def test_a_version_that_only_has_room_for_more_is_no_reason_to_cast() -> None:
    """At a table with a seventh seat (California) both versions mean the same fact."""
    wider = seven_seats(Surrendered)(seat=7)
    assert (wider.VERSION, upcast(wider), wider.KIND) == (2, wider, Surrendered)
    assert isinstance(wider, Surrendered)
    with pytest.raises(msgspec.ValidationError, match="seat"):
        seven_seats(Surrendered)(seat=8)


def test_every_registered_version_has_a_way_to_the_current_one() -> None:
    for type_, version in REGISTRY:
        if type_ != "test_only" and (type_, version + 1) in REGISTRY:
            wider = issubclass(REGISTRY[type_, version + 1], REGISTRY[type_, version])
            assert wider or (type_, version) in module.UPCASTERS
