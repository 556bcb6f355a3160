"""An event that never arrived, or arrived late, makes nothing look wrong: not its round, and none after it (D26, D402, D403)."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest

from events.vocabulary import model
from events.vocabulary.envelope import unlogged
from events.vocabulary.model import Event
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript.transcript import parse
from rulebook.chapters.rulebook import parse_submission
from tests.golden.rounds import GoldenCase
from tests.properties.test_told_otherwise import golden
from tests.replay.tables import DAY, SECOND_US, START_US

pytestmark = pytest.mark.slow  # many golden rounds, each told in many ways

EVERY = 24
"""Of the golden rounds one in this many loses its events, one at a time."""
FRAME = (model.GamingDayOpened, model.RulesFiled, model.RoundOpened, model.RoundClosed)
"""What says which rules and which round it is: without it there is nothing to compare."""


def told(case: GoldenCase) -> list[tuple[int | None, Event]]:
    """The events of a case, by the rules of its first round, each with its round."""
    events: list[tuple[int | None, Event]] = []
    for number, script in enumerate(parse(case.transcript, case.path.name), 1):
        said = [each.payload for each in script.events if number == 1 or not isinstance(each.payload, model.RulesFiled)]
        opened = next(at for at, payload in enumerate(said) if isinstance(payload, model.RoundOpened))
        events += [(number if at >= opened else None, payload) for at, payload in enumerate(said)]
    return events


def sampled(share: int) -> Iterator[tuple[GoldenCase, list[tuple[int | None, Event]]]]:
    """One in this many of the golden rounds of a share, and its events; not those whose rules are in another file."""
    for case in golden()[share::4][::EVERY]:
        if ".toml" not in case.transcript:
            yield case, told(case)


def one_device(payload: Event) -> str:
    return "table"


def a_device_for_each_thing(payload: Event) -> str:
    """The frame is reported by the pit; cards, money and dice by devices of their own."""
    if isinstance(payload, FRAME):
        return "pit"
    return {"card": "shoe", "hand": "shoe", "stub": "shoe", "wage": "felt", "dice": "shaker"}.get(payload.TYPE[:4], "dealer")


def judged(
    events: Sequence[tuple[int | None, Event]], arrived: Sequence[int] = (), device: Callable[[Event], str] = one_device
) -> dict[int, Conclusion]:
    """The verdicts on events of devices, which may be given by their numbers in the order in which they arrived."""
    fold, rounds = TableFold("table/t-1"), {}
    book = parse_submission(next(payload.toml for _, payload in events if isinstance(payload, model.RulesFiled)))
    counts: Counter[str] = Counter()
    numbered: list[int] = []
    for _, payload in events:
        counts[device(payload)] += 1
        numbered.append(counts[device(payload)])
    for seq, at in enumerate(arrived or range(1, len(events) + 1), 1):
        number, payload = events[at - 1]
        seen = fold.apply(
            unlogged(
                payload,
                stream=fold.stream,
                seq=seq,
                gaming_day=DAY,
                source=device(payload),
                source_seq=numbered[at - 1],
                occurred_at_us=START_US + at * SECOND_US,
                round_no=number,
                event_id=f"{at:032x}",
            )
        )
        rounds.update({each.round_no: each for each in seen})
    if fold.open is not None:
        rounds[fold.open.round_no] = fold.open
    return {number: adjudicate(each, book) for number, each in rounds.items()}


def new_findings(whole: dict[int, Conclusion], otherwise: dict[int, Conclusion]) -> list[str]:
    """What is found of the rounds that was not found before, but for what says that something is lost or late."""
    return [
        f"round {number}: {found.line()}"
        for number, conclusion in otherwise.items()
        for found in conclusion.findings
        if found.code not in {"LOG-SOURCE-GAP", "LOG-CLOCK", *(known.code for known in whole[number].findings)}
    ]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("share", range(4))
def test_a_lost_event_makes_nothing_look_wrong(share: int) -> None:
    tried = 0
    for case, events in sampled(share):
        whole, numbers = judged(events), range(1, len(events) + 1)
        for lost, (_, payload) in enumerate(events[:-1], 1):
            if not isinstance(payload, FRAME):
                tried += 1
                new = new_findings(whole, judged(events, [at for at in numbers if at != lost]))
                assert not new, f"{case.path.name}:{case.line}: without {payload}"
    assert tried > 200


@pytest.mark.parametrize("share", range(4))
def test_the_last_message_of_a_device_about_a_round_makes_nothing_look_wrong(share: int) -> None:
    """Two rounds in the same words; what a device reported last in the first is lost, and shows in the second (D656)."""
    tried = 0
    for case, events in sampled(share):
        if {number for number, _ in events} - {None, 1}:
            continue
        twice = [*events, *((2, payload) for number, payload in events if number == 1)]
        whole, numbers = judged(twice, device=a_device_for_each_thing), range(1, len(twice) + 1)
        last = {a_device_for_each_thing(payload): at for at, (number, payload) in enumerate(twice, 1) if number == 1}
        for at in last.values():
            payload = twice[at - 1][1]
            device = a_device_for_each_thing(payload)
            if device == "pit" or device not in {a_device_for_each_thing(other) for _, other in twice[: at - 1]}:
                continue  # what a device reports first may have any number
            tried += 1
            without = judged(twice, [other for other in numbers if other != at], a_device_for_each_thing)
            new = new_findings(whole, without)
            assert not new, f"{case.path.name}:{case.line}: without {payload}"
            closed = any(isinstance(later, model.RoundClosed) for _, later in twice[at : len(events)])
            if closed and "LOG-SOURCE-GAP" in {found.code for found in without[2].findings}:
                assert without[1].verdict == "UNDETERMINED"
                assert {each.due_cents for each in without[1].settlements} <= {None}
    assert tried > 20


@pytest.mark.sampled(2)
@pytest.mark.parametrize("share", range(4))
def test_an_event_that_comes_late_makes_nothing_look_wrong(share: int) -> None:
    """The event arrives after the two that its device said next, in the same round. Who arrived first at an idle table counts."""
    after_idle = [(case, told(case)) for case in golden()[share::4] if case.path.name == "5g_idle.rounds"]
    tried = 0
    for case, events in [*after_idle, *sampled(share)]:
        whole, numbers = judged(events), list(range(1, len(events) + 1))
        for late in numbers[:-2]:
            moved = events[late - 1 : late + 2]
            if None in {of for of, _ in moved} or len({of for of, _ in moved}) > 1:
                continue
            if any(isinstance(payload, FRAME) for _, payload in moved):
                continue
            tried += 1
            arrived = [*numbers[: late - 1], late + 1, late + 2, late, *numbers[late + 2 :]]
            new = new_findings(whole, judged(events, arrived))
            assert not new, f"{case.path.name}:{case.line}: late {moved[0][1]}"
    assert tried > 100
