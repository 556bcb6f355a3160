"""Two events of one device are in the order of its own numbers, however late one of them is handed in (D850).

Honest days of every game, and days with planted faults: of each round one message is handed in after the next one of its device.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from replay.run.replayer import MemoryResults, adjudications, replay
from tests.floor.simulated import stored
from tests.replay.tables import MemoryLog, records_of_drafts

TRIALS = 3
UNMOVED = (model.GamingDayOpened, model.EventCorrected)
"""A day opens between rounds only; a correction names an event by its number in the log."""

Judged = dict[int, tuple[str, tuple[str, ...], frozenset[tuple[object, ...]], object]]


def judged(stream: str, drafts: Sequence[Draft], cut: int = 0) -> Judged:
    """The verdict on every round, by a replay that was taken up after event `cut`.

    Findings have the ids of their evidence, for the numbers in the log differ.
    """
    log, results = MemoryLog([]), MemoryResults()
    log.records = {stream: records_of_drafts(stream, drafts)}
    log.all = log.records[stream]
    if cut:
        replay(log, results, as_of={stream: cut})
    replay(log, results)
    return {
        each.round_no: (
            each.verdict,
            each.undetermined,
            frozenset(
                (found.line(), found.observed, *sorted(drafts[seq - 1].event_id for seq in found.evidence))
                for found in each.findings
                if not found.code.startswith("LOG-")
            ),
            each.settlements,
        )
        for each in adjudications(results)
        if each.round_no is not None
    }


def handed_in_late(drafts: Sequence[Draft], random: Random) -> tuple[list[Draft], int]:
    """The messages with one of each forty or so after the next one of its device; and how many those are."""
    late: list[tuple[int, int]] = []
    at = random.randrange(12)
    while at < len(drafts):
        of_device = (to for to in range(at + 1, len(drafts)) if drafts[to].source == drafts[at].source)
        to = next(of_device, None)
        if to is None or any(isinstance(each.payload, UNMOVED) for each in drafts[at : to + 1]):
            at += 1
            continue
        late.append((at, to))
        at = to + random.randrange(20, 60)
    order = list(drafts)
    for at, to in reversed(late):
        order.insert(to, order.pop(at))
    return order, len(late)


def events_of_devices_late_after(order: Sequence[Draft], number: int) -> set[object]:
    """The events of the devices of which a message on the table, of no round, came late when a round was over.

    It may have come before that round: it follows the device's last event that arrived in time before the round was closed.
    """
    closed = next(
        (
            at
            for at, each in enumerate(order)
            if each.round_no == number and isinstance(each.payload, model.RoundClosed)
        ),
        len(order),
    )
    last = {each.source: each.source_seq for each in order[:closed]}
    newest: dict[str, int] = {}
    late = set()
    for at, each in enumerate(order):
        is_next = each.source_seq == last.get(each.source, 0) + 1
        if at > closed and each.round_no is None and is_next and each.source_seq < newest.get(each.source, 0):
            late.add(each.source)
        newest[each.source] = max(newest.get(each.source, 0), each.source_seq)
    return {each.event_id for each in order if each.source in late}


def streams(game: str, *, plant: bool) -> list[tuple[str, list[Draft]]]:
    day = stored(simulate(11, 120 if plant else 30, plant=plant, games=(game,), days=1))
    return [
        (stream, drafts)
        for stream, drafts in day.items()
        if stream.startswith("table/") and not any(isinstance(each.payload, model.EventCorrected) for each in drafts)
    ]


@pytest.mark.parametrize("game", SIMULATIONS)
def test_a_message_after_the_next_of_its_device_changes_no_verdict(game: str) -> None:
    tried = 0
    for stream, drafts in streams(game, plant=False):
        right = judged(stream, drafts)
        for trial in range(TRIALS):
            order, late = handed_in_late(drafts, Random(f"{stream} {trial}"))
            tried += late
            wrong = {
                number: (right[number], verdict)
                for number, verdict in judged(stream, order).items()
                if verdict != right[number] and right[number][0] != "UNDETERMINED"
            }
            assert not wrong, f"{stream}, trial {trial}"
    assert tried > 50


@pytest.mark.parametrize("game", SIMULATIONS)
def test_it_accuses_nobody_who_is_not_accused_in_order(game: str) -> None:
    """What only the clock of the late message shows may become a doubt; nothing new is found, and next to nothing is missed.

    What a device reports on is unknown in a round that is over when a message on the table comes late from it (D850): what is
    found on its word there is not missed.
    """
    missed, found = 0, 0
    for stream, drafts in streams(game, plant=True):
        right = judged(stream, drafts)
        for trial in range(TRIALS):
            order = handed_in_late(drafts, Random(f"{stream} {trial}"))[0]
            for number, verdict in judged(stream, order).items():
                assert verdict[2] <= right[number][2], f"{stream}, round {number}, trial {trial}"
                unknown = events_of_devices_late_after(order, number)
                found += len(right[number][2])
                missed += sum(unknown.isdisjoint(each) for each in right[number][2] - verdict[2])
    assert found > 20
    assert missed <= found // 20


@pytest.mark.parametrize("game", ["face_up_pai_gow", "over_under", "player_dealer"])
def test_a_replay_that_is_taken_up_anywhere_says_the_same(game: str) -> None:
    stream, drafts = streams(game, plant=False)[0]
    order = handed_in_late(drafts[:160], Random(stream))[0]
    right = judged(stream, order)
    for cut in range(20, len(order), 3):
        assert judged(stream, order, cut) == right, f"cut after event {cut}"
