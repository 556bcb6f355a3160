"""Advice is consistent with the verdict of the whole round: what is told early is found in the end, or the table put it right."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import pytest

from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.envelope import ReadEnvelope, unlogged
from events.vocabulary.model import Event
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation, simulate
from replay.advice import Advice
from replay.findings import Finding, Settlement
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.rules.money import DUE_ANEW, envy_bonuses, money
from replay.run.adjudicate import Conclusion, adjudicate, rules_of
from replay.run.advising import advise_on
from replay.run.stream_worker import current, rules_in_force
from rulebook.chapters.rulebook import Rulebook
from tests.properties.test_lost_evidence import told
from tests.properties.test_told_otherwise import golden
from tests.replay.tables import DAY, SECOND_US, START_US
from tests.whatif.simulated_log import SimulatedLog

pytestmark = pytest.mark.slow  # every prefix of every round

PUTS_ANYTHING_RIGHT = (model.EventCorrected, model.RoundVoided, model.WagerReturned)
"""A correction, and the void of the round: declared, or by what goes back."""
OF_THE_DUE = (*DUE_ANEW, *PUTS_ANYTHING_RIGHT)
SHARES = 8
"""The golden rounds are tried in so many parts: the first in each test run, all of them by `make test-nightly`."""
ONE_LOST = 120
"""Of the golden rounds one in this many loses its events, one at a time."""

Events = Sequence[ReadEnvelope[Event]]
Mark = tuple[str, int | None, str | None]


class Played(NamedTuple):
    """A round at its end, its rules and verdict, and the advice given after each of its events until then."""

    round_: Round
    book: Rulebook
    verdict: Conclusion
    advice: list[Advice]

    def __str__(self) -> str:
        return f"{self.round_.stream} round {self.round_.round_no}"


def mark(finding: Finding) -> Mark:
    """What identifies a departure, whatever the amounts were so far."""
    return finding.code, finding.seat, finding.wager


def played(events: Events) -> Iterator[Played]:
    """The rounds of a stream, each as it stood when the stream ended."""
    fold, given, rounds = TableFold(events[0].stream), dict[int, list[Advice]](), dict[int, Round]()
    for event in events:
        rounds |= {round_.round_no: round_ for round_ in fold.apply(event)}
        advice = advise_on(fold, event.seq)
        if advice is not None:
            given.setdefault(advice.round_no, []).append(advice)
    for number, round_ in rounds.items():
        book = rules_in_force(round_)
        if isinstance(book, Rulebook):
            yield Played(round_, book, adjudicate(round_, book), given.get(number, []))


def has(round_: Round, kinds: Iterable[type[Event]], after: int) -> bool:
    """Whether one of these events came after another."""
    return any(fact.payload.KIND in kinds for fact in round_.facts if fact.seq > after)


def told_in_vain(each: Played) -> list[str]:
    """What was told of a round that is not in its verdict, though nothing in the round put it right."""
    found = {mark(finding) for finding in each.verdict.findings}
    early = {code: rule.early for rule in rules_of(each.book.chapter) if rule.early is not None for code in rule.codes}
    wrong = []
    for advice in each.advice:
        for warning in advice.warnings:
            remedies = (*early[warning.code].remedies, *PUTS_ANYTHING_RIGHT) if early[warning.code] is not None else ()
            if mark(warning) not in found and not has(each.round_, remedies, advice.as_of):
                wrong.append(f"{each} event {advice.as_of}: {warning.line()}: {warning.observed}")
    return wrong


def due_otherwise(each: Played) -> list[str]:
    """What was told as due and is due otherwise in the end, though nothing came that changes what is due."""
    due = {(one.seat, one.wager, one.number, one.bettor): one.due_cents for one in each.verdict.settlements}
    return [
        f"{each} event {advice.as_of}: seat {one.seat} {one.wager} {one.due_cents}"
        for advice in each.advice
        for one in advice.dues
        if due.get((one.seat, one.wager, one.number, one.bettor)) != one.due_cents
        and not has(each.round_, OF_THE_DUE, advice.as_of)
        and not any(changes_due(fact.payload, one) for fact in each.round_.facts if fact.seq > advice.as_of)
    ]


def changes_due(payload: Any, one: Settlement) -> bool:
    """Whether a move of a wager says something new of what it is due: it was surrendered, abandoned, or another patron's."""
    if payload.KIND not in (model.WagerTaken, model.WagerPaid) or (payload.seat, payload.wager) != (one.seat, one.wager):
        return False
    return payload.bettor != one.bettor or getattr(payload, "reason", "") in ("surrendered", "abandoned")


def golden_events(share: int, every: int = SHARES) -> Iterator[tuple[str, Events]]:
    """The events of golden rounds, without those whose rules are in another file."""
    for case in golden()[share::every]:
        if ".toml" not in case.transcript:
            yield f"{case.path.name}:{case.line}", said(told(case))


def said(events: Sequence[tuple[int | None, Event]], arrived: Iterable[int] = ()) -> Events:
    """The events of one device as a log numbers them, given by their own numbers in the order in which they arrived."""
    return [
        unlogged(
            events[at - 1][1],
            stream="table/t-1",
            seq=seq,
            gaming_day=DAY,
            source="table",
            source_seq=at,
            occurred_at_us=START_US + at * SECOND_US,
            round_no=events[at - 1][0],
            event_id=f"{at:032x}",
        )
        for seq, at in enumerate(arrived or range(1, len(events) + 1), 1)
    ]


def floor_events(simulation: Simulation) -> Iterator[Events]:
    for stream, records in SimulatedLog(simulation.groups()).records.items():
        if stream.startswith("table/"):
            yield [current(read(record.data)) for record in records]


@pytest.mark.parametrize("share", [0, *(pytest.param(share, marks=pytest.mark.nightly) for share in range(1, SHARES))])
def test_of_every_prefix_of_a_golden_round_advice_is_consistent_with_the_verdict(share: int) -> None:
    warnings = dues = 0
    for name, events in golden_events(share):
        for each in played(events):
            assert not told_in_vain(each), name
            assert not due_otherwise(each), name
            warnings += sum(len(advice.warnings) for advice in each.advice)
            dues += sum(len(advice.dues) for advice in each.advice)
    assert warnings > 100
    assert dues > 1000


@pytest.mark.sampled(6)
@pytest.mark.parametrize("game", SIMULATIONS)
def test_advice_on_a_simulated_floor_is_consistent_and_a_mispayment_is_told_before_the_round_is_closed(game: str) -> None:
    codes, acts = {*money.codes, *envy_bonuses.codes}, 0
    for events in floor_events(simulate(22, 60, games=(game,))):
        for each in played(events):
            assert not told_in_vain(each)
            assert not due_otherwise(each)
            last = [mark(warning) for advice in each.advice[-1:] for warning in advice.warnings]
            for finding in each.verdict.findings:
                done = [fact for fact in each.round_.facts if fact.seq in finding.evidence and is_act(fact.payload)]
                if finding.code in codes and done:
                    acts += 1
                    assert mark(finding) in last, f"{each}: {finding.line()}"
    assert acts


def is_act(payload: Any) -> bool:
    """Whether an event moves the money of a wager."""
    return payload.KIND in (model.WagerTaken, model.WagerPaid, model.WagerReturned, model.EnvyPaid, model.VigorishTaken)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("game", SIMULATIONS)
def test_an_honest_round_raises_no_warning(game: str) -> None:
    """Where something irregular happens and is put right at the table, it is told until it is; nowhere else."""
    floor = simulate(23, 36, games=(game,), plant=False)
    irregular = {(legit.stream, legit.round_no) for legit in floor.legitimate}
    rounds = 0
    for events in floor_events(floor):
        for each in played(events):
            rounds += 1
            warnings = [warning for advice in each.advice for warning in advice.warnings]
            assert not told_in_vain(each)
            assert not warnings or (each.round_.stream, each.round_.round_no) in irregular, f"{each}: {warnings[0]}"
    assert rounds > 30


@pytest.mark.sampled(2)
@pytest.mark.parametrize("late", [False, True])
def test_an_event_that_is_lost_or_late_raises_no_new_warning(late: bool) -> None:
    frame = (model.GamingDayOpened, model.RulesFiled, model.RoundOpened, model.RoundClosed)
    tried = 0
    for case in golden()[::ONE_LOST]:
        if ".toml" in case.transcript:
            continue
        events = told(case)
        whole = {mark(warning) for warning in all_warnings(said(events))}
        numbers = list(range(1, len(events) + 1))
        for at, (_, payload) in enumerate(events[:-2], 1):
            if isinstance(payload, frame) or (late and isinstance(events[at][1], frame)):
                continue
            tried += 1
            moved = [*numbers[: at - 1], at + 1, at, *numbers[at + 1 :]] if late else [n for n in numbers if n != at]
            new = {mark(warning) for warning in all_warnings(said(events, moved))} - whole
            assert not new, f"{case.path.name}:{case.line}: {'late' if late else 'without'} {payload}"
    assert tried > 100


def all_warnings(events: Events) -> Iterator[Finding]:
    for each in played(events):
        for advice in each.advice:
            yield from advice.warnings


def test_a_warning_is_raised_by_an_event_of_its_round() -> None:
    for _, events in golden_events(0, 40):
        for each in played(events):
            for advice in each.advice:
                assert all(each.round_.first_seq <= max(warning.evidence) <= advice.as_of for warning in advice.warnings)
