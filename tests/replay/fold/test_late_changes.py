"""A change of the table that comes late accuses no one: not before it came, and not after (D1201)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache

import msgspec
import pytest

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event
from floor.day.gaming_day import simulate
from replay.findings import Adjudication
from replay.fold.table_changes import MAY_COME_LATE
from replay.run.replayer import MemoryResults, adjudications, replay
from tests.floor.simulated import ROUNDS as GAMES
from tests.floor.simulated import stored
from tests.replay.fold.test_corrections import in_all_ways
from tests.replay.rules.test_over_under import ROUND, over_under, shuffled
from tests.replay.tables import PAID, MemoryLog, Table, filed

LATER = (0.5, 1, 1.5, 2, 3.5, 6)
"""How many rounds later a message arrives; a half: within a round, after its first card."""
SEED, ROUNDS = 5, 24
FRAME = (model.RoundOpened, model.RoundClosed, model.RulesFiled, model.GamingDayOpened)
"""What says which round it is, and by which rules."""


class Reported(Table):
    """A table whose devices reported this."""

    def __init__(self, stream: str, drafts: Sequence[Draft]) -> None:
        self.stream, self.drafts = stream, list(drafts)


def judged(stream: str, drafts: Sequence[Draft]) -> dict[int, Adjudication]:
    """The verdict on each round in the end."""
    results = MemoryResults()
    replay(MemoryLog([Reported(stream, drafts)]), results)
    found = (msgspec.json.decode(data, type=Adjudication) for _, data in results.results("adjudications"))
    return {each.round_no: each for each in found}


def accused(verdict: Adjudication) -> set[tuple[str, int | None, str | None]]:
    """What is found of the game, and where."""
    return {(each.code, each.seat, each.wager) for each in verdict.findings if not each.code.startswith("LOG-")}


@cache
def honest(game: str, own_devices: bool) -> tuple[str, list[Draft]]:
    """What the table of a floor without faults that plays most reports; each type of event by a device of its own, if asked."""
    day = stored(simulate(SEED, ROUNDS, plant=False, games=(game,)))
    tables = {stream: drafts for stream, drafts in day.items() if stream.startswith("table/")}
    stream, drafts = max(tables.items(), key=lambda table: len(table[1]))
    return stream, by_own_devices(drafts) if own_devices else drafts


def by_own_devices(drafts: Sequence[Draft]) -> list[Draft]:
    """The reports as if each type of event had a device of its own."""
    numbers, own = Counter[str](), list[Draft]()
    for draft in drafts:
        source = f"d-{draft.payload.TYPE.replace('_', '-')}"[:32]
        numbers[source] += 1
        own.append(msgspec.structs.replace(draft, source=source, source_seq=numbers[source]))
    return own


def moved(drafts: Sequence[Draft], at: int, later: float) -> list[Draft] | None:
    """The reports with one of them later; None if the table does not play so long."""
    ends = [at, *(n for n, each in enumerate(drafts) if n > at and isinstance(each.payload, model.RoundClosed))]
    if len(ends) <= int(later):
        return None
    to = ends[int(later)]
    if later % 1:
        dealt = (n for n in range(to + 1, len(drafts)) if isinstance(drafts[n].payload, model.CardsDealt))
        to = next(dealt, -1)
    return _placed(drafts, at, to) if to > 0 else None


def _placed(drafts: Sequence[Draft], at: int, to: int) -> list[Draft]:
    late = [*drafts[:at], *drafts[at + 1 : to + 1], drafts[at], *drafts[to + 1 :]]
    return [_corrects(each, lambda seq: to + 1 if seq == at + 1 else seq - (at < seq - 1 <= to)) for each in late]


def _corrects(draft: Draft, place: Callable[[int], int]) -> Draft:
    """A correction names the same event where it is now."""
    if not isinstance(draft.payload, model.EventCorrected):
        return draft
    superseded = place(draft.payload.supersedes_seq)
    return msgspec.structs.replace(draft, payload=msgspec.structs.replace(draft.payload, supersedes_seq=superseded))


def movable(drafts: Sequence[Draft]) -> Iterator[tuple[int, type[Event]]]:
    """The changes of a table that the log takes later; a day is opened where none is played."""
    for at, draft in enumerate(drafts):
        if type(draft.payload).KIND in MAY_COME_LATE - {model.GamingDayOpened} and at:
            yield at, type(draft.payload).KIND


def check(game: str, own_devices: bool, turns: int, turn: int) -> int:
    """Move every `turns`-th change of the table of a game; what is then found is found in their order, too."""
    stream, drafts = honest(game, own_devices)
    expected, tried = judged(stream, drafts), 0
    assert not any(accused(verdict) for verdict in expected.values())
    cases = [(at, type_, later) for at, type_ in movable(drafts) for later in LATER]
    for at, type_, later in cases[turn::turns]:
        late = moved(drafts, at, later)
        if late is None:
            continue
        tried += 1
        found = judged(stream, late)
        assert found.keys() == expected.keys()
        for number, verdict in found.items():
            case = f"{type_.TYPE} {at} {later} rounds later: round {number} {verdict.verdict} {verdict.undetermined}"
            assert not accused(verdict), case
            assert verdict.verdict in (expected[number].verdict, "UNDETERMINED"), case
    return tried


@pytest.mark.sampled(3)
@pytest.mark.parametrize("own_devices", [False, True], ids=["its devices", "a device for each type"])
@pytest.mark.parametrize("game", GAMES)
def test_a_change_of_the_table_that_comes_late_accuses_no_one(game: str, own_devices: bool) -> None:
    assert check(game, own_devices, turns=41, turn=3) > 1


@pytest.mark.nightly
@pytest.mark.parametrize("own_devices", [False, True], ids=["its devices", "a device for each type"])
@pytest.mark.parametrize("game", GAMES)
def test_any_change_of_the_table_any_number_of_rounds_later_accuses_no_one(game: str, own_devices: bool) -> None:
    assert check(game, own_devices, turns=1, turn=0) > 60


def burned(number: int) -> str:
    return (ROUND.replace("Tc", "Td") if number % 2 else ROUND).replace("9d 8h", "9s 8c" if number % 3 else "9d 8h")


def restarted(drafts: Sequence[Draft], at: int, first: int) -> list[Draft]:
    """The reports if a device counts from another number on."""
    source, ahead = drafts[at].source, first - drafts[at].source_seq
    return [
        msgspec.structs.replace(each, source_seq=each.source_seq + ahead) if n >= at and each.source == source else each
        for n, each in enumerate(drafts)
    ]


def swap_and_restart(game: str, every: int) -> None:
    """Swap the neighbors of two devices at every so many events, and let the device count from other numbers there."""
    stream, drafts = honest(game, own_devices=False)
    for at in range(2, len(drafts), every):
        ways = [restarted(drafts, at, 1), restarted(drafts, at, drafts[at].source_seq + 1_000)]
        if drafts[at - 1].source != drafts[at].source:
            ways.append(_placed(drafts, at - 1, at))
        for way in ways:
            assert not [verdict for verdict in judged(stream, way).values() if accused(verdict)], f"event {at + 1}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", GAMES)
def test_neighbors_of_two_devices_that_are_swapped_and_a_device_that_starts_again_accuse_no_one(game: str) -> None:
    swap_and_restart(game, every=61)


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES)
def test_any_neighbors_of_two_devices_that_are_swapped_accuse_no_one(game: str) -> None:
    swap_and_restart(game, every=3)


def faults_shown_late(game: str, turns: int) -> int:
    """Hand in every `turns`-th message that shows a planted fault between rounds, after its round or later; return how many."""
    day, tried = stored(simulate(11, 40, plant=True, games=(game,))), 0
    cases: list[tuple[str, int, int, int, bool, bool]] = []
    for stream, drafts in day.items():
        if not stream.startswith("table/") or any(isinstance(each.payload, model.EventCorrected) for each in drafts):
            continue
        for number, verdict in judged(stream, drafts).items():
            shown = {seq - 1 for each in verdict.findings if not each.code.startswith("LOG-") for seq in each.evidence}
            shown = {at for at in shown if not isinstance(drafts[at].payload, FRAME)}
            cases += [
                (stream, number, at, later, own, names)
                for at in sorted(shown)
                for later in (0, 1, 2, 5)
                for own in (False, True)
                for names in (False, True)
            ]
    for stream, number, at, later, own, names in cases[::turns]:
        drafts = by_own_devices(day[stream]) if own else day[stream]
        if not names:
            drafts = [
                each if isinstance(each.payload, FRAME) else msgspec.structs.replace(each, round_no=None) for each in drafts
            ]
        ends = [to for to, each in enumerate(drafts) if to > at and isinstance(each.payload, model.RoundClosed)]
        if len(ends) <= later:
            continue
        tried += 1
        verdict = judged(stream, _placed(drafts, at, ends[later])[: ends[later] + 60])[number]
        event = f"event {ends[later] + 1} ("
        case = f"{drafts[at].payload}, {later} rounds later, {own=}, {names=}: round {number} of {stream}"
        assert verdict.verdict in ("VARIANCE", "UNDETERMINED"), case
        assert verdict.verdict == "VARIANCE" or any(event in each or "late" in each for each in verdict.undetermined), case
    return tried


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", GAMES)
def test_a_fault_that_a_message_shows_between_rounds_and_late_is_never_upheld(game: str) -> None:
    assert faults_shown_late(game, turns=31) > 1


@pytest.mark.nightly
@pytest.mark.parametrize("game", GAMES)
def test_a_fault_that_any_message_shows_between_rounds_and_late_is_never_upheld(game: str) -> None:
    assert faults_shown_late(game, turns=1) > 30


CODES = {
    "DEAL-BURN": ("686a.7(d)", model.DealerTappedIn(dealer="d-9")),
    "WAGER-MIDSHOE": ("686a.7(l)", model.PatronBarred(patron="seat-1", reason="counting")),
}


@pytest.mark.parametrize("later", [1, 2, 3, 6])
@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("is_late", [False, True], ids=["in its order", "late"])
def test_what_is_found_by_a_change_that_comes_late_is_a_doubt_that_names_it(code: str, later: int, is_late: bool) -> None:
    """It is found at once where the clock of the message and its place in the log agree."""
    _, change = CODES[code]
    table = over_under()
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, burned(1))
    at_us = table.drafts[-1].occurred_at_us + 1
    for number in range(2, 2 + later):
        table.play(number, burned(number))
    came = table.say(change, source="floor", at_us=at_us if is_late else None)
    table.play(2 + later, burned(2 + later))
    verdict = judged(table.stream, table.drafts)[2 + later]
    found = {code for code, _, _ in accused(verdict)}
    assert found == (set() if is_late else {code})
    event = f"event {came} ({change.TYPE}) came late"
    assert any(event in reason for reason in verdict.undetermined) == is_late


def test_a_barring_that_came_late_is_no_doubt_any_more_once_a_shoe_began() -> None:
    """Bars end with a reshuffle (§ 686a.6(b)): a patron who is barred after that, in order, is found again."""
    table = over_under()
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, burned(1))
    at_us = table.drafts[-1].occurred_at_us + 1
    table.play(2, burned(2))
    table.say(model.PatronBarred(patron="seat-1", reason="counting"), source="floor", at_us=at_us)
    table.play(3, burned(3))
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(4, burned(4))
    table.say(model.PatronBarred(patron="seat-1", reason="counting"), source="floor")
    table.play(5, burned(5))
    found = {
        number: "WAGER-MIDSHOE" in {code for code, _, _ in accused(each)}
        for number, each in judged(table.stream, table.drafts).items()
    }
    assert found == {1: False, 2: False, 3: False, 4: False, 5: True}


@pytest.mark.parametrize("by_its_number", [False, True], ids=["by its clock", "by its number"])
@pytest.mark.parametrize("maximum", ["100.00", "200.00"], ids=["the same rules", "other rules"])
def test_other_rules_that_come_late_leave_the_rounds_before_undetermined(maximum: str, by_its_number: bool) -> None:
    table = Table(words="pa-688a max=100.00")
    at_us = table.drafts[-1].occurred_at_us + 1
    if by_its_number:
        table.say(model.ShiftChanged(shift="day"), source="tablet", source_seq=2)
    for count in (1, 2):
        table.play(count, PAID)
    table.say(filed(f"pa-688a max={maximum}"), source="tablet", source_seq=1, at_us=at_us)
    table.play(3, PAID)
    doubted = "UPHELD" if maximum == "100.00" else "UNDETERMINED"
    assert [each.verdict for each in judged(table.stream, table.drafts).values()] == [doubted, doubted, "UPHELD"]


SWING, GRAVE = model.ShiftChanged(shift="swing"), model.ShiftChanged(shift="grave")
SHIFTS: dict[str, tuple[list[tuple[int, str, model.ShiftChanged, int]], dict[int, str]]] = {
    "in order": ([(4, "pit", SWING, 4)], dict.fromkeys(range(1, 5), "day") | dict.fromkeys(range(5, 13), "swing")),
    "a device's comes two rounds later": (
        [(6, "pit", SWING, 4)],
        dict.fromkeys(range(1, 5), "day") | {5: "", 6: ""} | dict.fromkeys(range(7, 13), "swing"),
    ),
    "and eight rounds later": ([(12, "pit", SWING, 4)], dict.fromkeys(range(1, 5), "day") | dict.fromkeys(range(5, 13), "")),
    "a person states when it began": (
        [(11, "pit-m-ortiz", SWING, 4)],
        dict.fromkeys(range(1, 5), "day") | dict.fromkeys(range(5, 13), "swing"),
    ),
    "a person states it after the next one": (
        [(8, "pit-m-ortiz", GRAVE, 8), (10, "pit-m-ortiz", SWING, 4)],
        dict.fromkeys(range(1, 5), "day") | dict.fromkeys(range(5, 9), "swing") | dict.fromkeys(range(9, 13), "grave"),
    ),
    "another device's comes after the next one": (
        [(8, "pit", GRAVE, 8), (10, "tablet", SWING, 4)],
        dict.fromkeys(range(1, 5), "day") | dict.fromkeys(range(5, 9), "") | {9: "grave", 10: "grave", 11: "", 12: ""},
    ),
}


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", SHIFTS)
def test_d1352_a_round_is_of_the_shift_in_which_it_opened(case: str) -> None:
    """Each change: after which round it is reported, by whom, and after which round it was by its own clock."""
    changes, expected = SHIFTS[case]
    table = Table()
    table.say(model.ShiftChanged(shift="day"), source="pit")
    ended: dict[int, int] = {}
    for number in range(1, 13):
        table.play(number, PAID)
        ended[number] = table.drafts[-1].occurred_at_us
        for after, source, change, began in changes:
            if after == number:
                table.say(change, source=source, at_us=ended[began] + 1)
    verdicts = {each.round_no: each for each in adjudications(in_all_ways(table))}
    assert {number: each.shift for number, each in verdicts.items()} == expected
    assert {each.verdict for each in verdicts.values()} == {"UPHELD"}
