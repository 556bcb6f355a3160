"""A floor that plays by the clock: nothing before its time, in order, again until it is answered."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import islice, pairwise
from typing import Any

import pytest

from events.vocabulary.envelope import Draft
from events.vocabulary.model import DealerTappedIn
from floor.catalogue import SIMULATIONS
from floor.day import gaming_day
from floor.day.gaming_day import Turn
from floor.faults.labels import Planted
from floor.live.collector import Collector, NotTaken
from floor.live.live_floor import FloorClock, LiveFloor
from floor.table.casino import PROPERTY, Calendar
from floor.table.script import SOURCES
from floor.table.streams import HOUR_US, SECOND_US
from tests.coroutines import run

START_US = 1_773_500_400_000_000
STREAM = "table/fu-01"


class Gateway:
    """Stands in for a gateway: answers as it is told, and remembers the lines that it took, each with its stream."""

    def __init__(self, *faults: str) -> None:
        self.faults = list(faults)
        self.taken: list[tuple[str, int]] = []
        self.bodies: list[bytes] = []
        self.tokens: set[str] = set()

    async def __aenter__(self) -> Gateway:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await self._head(reader):
            fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:] if line)
            body = await reader.readexactly(int(fields["Content-Length"]))
            self.tokens.add(fields.get("Authorization", ""))
            self.bodies.append(body)
            fault = self.faults.pop(0) if self.faults else ""
            if fault == "breaks off":
                break
            if fault:
                writer.write(f"HTTP/1.1 {fault} x\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n".encode())
                break
            lines = [json.loads(line) for line in body.splitlines()]
            self.taken += [(line["stream"], line["source_seq"]) for line in lines]
            said = "".join(
                json.dumps({"line": n, "status": "stored", "stream": line["stream"], "seq": line["source_seq"]}) + "\n"
                for n, line in enumerate(lines, 1)
            )
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(said)}\r\n\r\n{said}".encode())
            await writer.drain()
        writer.close()

    @staticmethod
    async def _head(reader: asyncio.StreamReader) -> bytes:
        try:
            return await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return b""


def draft(number: int, at_s: float, round_no: int | None = None) -> Draft:
    return Draft(
        event_id=f"{number:032x}",
        source="fu-01-floor",
        source_seq=number,
        occurred_at_us=START_US + round(at_s * SECOND_US),
        round_no=round_no,
        payload=DealerTappedIn(dealer="d-01"),
    )


def turn(*drafts: Draft, next_s: float = 0, labels: tuple[Planted, ...] = ()) -> Turn:
    return Turn([(STREAM, list(drafts))], labels, START_US + round(next_s * SECOND_US))


def label(round_no: int) -> Planted:
    return Planted(code="PAY-OVER", stream=STREAM, table="fu-01", round_no=round_no, seat=None, wager=None, consequences=())


def play(turns: Iterator[Turn] | list[Turn], gateway: Gateway, speed: float = 1_000) -> tuple[LiveFloor, list[float]]:
    """Play turns into a gateway; return the floor, and how late each request was answered."""
    late = list[float]()

    async def played() -> LiveFloor:
        async with gateway:

            def listener(_: object, late_s: float) -> None:
                late.append(late_s)

            floor = LiveFloor(
                iter(turns), FloorClock(START_US, speed), lambda _: Collector("127.0.0.1", gateway.port, "fu-01.secret"), listener
            )
            await floor.play()
            return floor

    return run(played()), late


def test_events_are_handed_in_in_order_and_none_before_it_happens() -> None:
    gateway = Gateway()
    floor, late = play([turn(*(draft(n, 20 * n) for n in range(1, 31)))], gateway)
    assert gateway.taken == [(STREAM, n) for n in range(1, 31)]
    assert min(late) >= 0
    assert gateway.tokens == {"Bearer fu-01.secret"}
    assert (dict(floor.answered), floor.ends) == ({"stored": 30}, {STREAM: 30})


def test_what_is_due_already_goes_at_once_and_together() -> None:
    gateway = Gateway()
    play([turn(*(draft(n, -60 + n) for n in range(1, 31)))], gateway, speed=1)
    assert gateway.taken == [(STREAM, n) for n in range(1, 31)]
    assert len(gateway.bodies) == 1


def test_one_that_arrives_late_keeps_its_time_and_its_place() -> None:
    gateway = Gateway()
    play([turn(draft(1, 1), draft(2, 40), draft(3, 5), draft(4, 41))], gateway)
    assert gateway.taken == [(STREAM, n) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("fault", ["503", "429", "408", "breaks off"])
def test_what_is_not_answered_is_handed_in_again_unchanged(fault: str) -> None:
    gateway = Gateway(fault, fault)
    floor, _ = play([turn(draft(1, -1), draft(2, -1))], gateway)
    assert gateway.taken == [(STREAM, 1), (STREAM, 2)]
    assert len(gateway.bodies) == 3
    assert len(set(gateway.bodies)) == 1
    assert floor.answered == {"stored": 2}


@pytest.mark.parametrize("fault", ["400", "401", "403", "413", "422"])
def test_what_is_refused_for_good_ends_the_floor(fault: str) -> None:
    with pytest.raises(ExceptionGroup) as ended:
        play([turn(draft(1, -1))], Gateway(fault))
    assert ended.group_contains(NotTaken, match=fault)


def test_only_faults_of_turns_that_were_answered_whole_are_planted() -> None:
    gateway = Gateway()

    async def played() -> LiveFloor:
        async with gateway:
            turns = [
                turn(draft(1, -2, 1), draft(2, -1, 1), labels=(label(1),)),
                turn(draft(3, 0, 2), draft(4, 1e6, 2), labels=(label(2),)),
            ]

            def listener(batch: object, _: float) -> None:
                if (STREAM, 3) in gateway.taken:
                    floor.stop()

            floor = LiveFloor(iter(turns), FloorClock(START_US), lambda _: Collector("127.0.0.1", gateway.port), listener)
            await floor.play()
            return floor

    floor = run(played())
    assert [each.round_no for each in floor.labels] == [1]
    assert [each.round_no for each in floor.begun] == [1, 2]
    assert floor.unfinished == {(STREAM, 2)}
    assert floor.ends == {STREAM: 3}


CALENDAR = Calendar(date(2026, 3, 14), START_US, START_US + 3 * HOUR_US, watched=True)

LAST_US = CALENDAR.closing_us(0) - 2 * HOUR_US


def turns_of(games: list[str], rounds: int, most: int) -> list[Turn]:
    return list(islice(gaming_day.play(7, rounds, games, CALENDAR, days=2), most))


def drafts_of(turn: Turn, kind: str) -> list[Any]:
    return [draft for _, drafts in turn.groups for draft in drafts if kind == draft.payload.TYPE]


def events_of(turn: Turn, kind: str) -> list[int]:
    """When a turn's events of a kind happened."""
    return [draft.occurred_at_us for draft in drafts_of(turn, kind)]


@pytest.mark.parametrize("game", SIMULATIONS)
def test_a_script_is_made_in_the_order_of_the_clock(game: str) -> None:
    """A table that waits for hours keeps no other table waiting: what comes later in the script begins later."""
    turns = turns_of([game], 300, 200)
    assert all(first.next_us <= second.next_us for first, second in pairwise(turns))
    opened = [at_us for each in turns for at_us in events_of(each, "round_opened")]
    for each, at_us in zip(turns, opened, strict=False):
        assert at_us >= each.next_us
    assert len(opened) >= 190


def test_a_watched_day_opens_when_it_is_watched() -> None:
    turns = turns_of(["face_up_pai_gow"], 100, 10)
    opened = [at_us for each in turns for at_us in events_of(each, "table_opened")]
    assert opened
    assert all(CALENDAR.opening_us <= at_us < CALENDAR.opening_us + HOUR_US for at_us in opened)
    days = {draft.payload.gaming_day for draft in drafts_of(turns[0], "gaming_day_opened")}
    assert days == {"2026-03-14"}
    assert min(events_of(turns[0], "gaming_day_opened")) == START_US


@pytest.mark.nightly
def test_no_table_of_a_watched_day_plays_into_the_next() -> None:
    turns = turns_of(["dj_wild"], 6_000, 2_000)
    first_day = [each for each in turns if each.next_us < CALENDAR.cutover_us(1)]
    assert 0 < len(first_day) < len(turns)
    begun = [at_us for each in turns for at_us in events_of(each, "round_opened")]
    assert not [at_us for at_us in begun if CALENDAR.cutover_us(1) - HOUR_US / 2 < at_us < CALENDAR.cutover_us(1)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("game", ["over_under", "face_up_pai_gow"])
def test_no_table_of_a_watched_day_stands_idle_for_hours(game: str) -> None:
    """Also if a deck is kept too long: that is planted when its time is nearly over."""
    opened = defaultdict(list)
    for each in turns_of([game], 20_000, 2_000):
        for stream, drafts in each.groups:
            opened[stream] += [draft.occurred_at_us for draft in drafts if draft.payload.TYPE == "round_opened"]
    idle = [second - first for times in opened.values() for first, second in pairwise(times) if first < LAST_US]
    assert len(idle) > 500
    assert max(idle) < 2 * HOUR_US


def test_every_device_of_a_table_is_registered() -> None:
    sources = defaultdict(set)
    for each in turns_of(list(SIMULATIONS), 200, 150):
        for stream, drafts in each.groups:
            kind, _, name = stream.partition("/")
            if stream != PROPERTY:
                sources[kind].update(draft.source.removeprefix(f"{name}-") for draft in drafts)
    assert sources["table"] <= set(SOURCES)
    assert sources["meter"] == {"controller"}


def test_the_clock_runs_as_fast_as_it_is_told() -> None:
    clock = FloorClock(START_US, 100)
    assert clock.now_us() >= START_US
    assert clock.seconds_until(START_US + 1_000 * SECOND_US) <= 10
