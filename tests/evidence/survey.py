"""The survey itself: which rounds are edited, in full or as a sample, and what every edit came to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from hashlib import sha256
from heapq import nsmallest
from random import Random

import msgspec

from events.vocabulary import model
from tests.evidence.allowances import Allowances, Row
from tests.evidence.edits import Edit, edits
from tests.evidence.judging import Report
from tests.evidence.outcomes import Ending, Outcome, outcome
from tests.evidence.specimens import FalseAlarm, Specimen, chosen, golden, golden_cases, simulated
from tests.golden.rounds import GoldenCase

FLOOR_ROUNDS = 120
"""This many rounds of a game are simulated; some of them are edited."""

TRIED = 20
"""This many rows of an open entry must be noticed before a sample says that it is done with; a full run asks them all."""

OTHER_DECK = " of another deck"
"""What an event of a row, or one that it is moved past, is called where it names a deck that is not dealt in the round."""

NEXT_ROUND = " for the next round"
"""What a wager of a player-dealer is called that was put down after the first card (D202, D546)."""

SETTLING = (model.WagerTaken, model.WagerPaid, model.WagerReturned)

Cell = tuple[Ending, tuple[str, ...]]


class Tally(msgspec.Struct):
    """What the edits of each row came to, with an example of each ending, and the false alarms."""

    counts: dict[Row, Counter[Cell]] = {}
    examples: dict[tuple[Row, Ending], str] = {}
    alarms: list[FalseAlarm] = []
    rounds: int = 0
    edits: int = 0

    def add(self, row: Row, result: Outcome, example: str) -> None:
        """Count one edit."""
        self.counts.setdefault(row, Counter())[result.ending, result.codes] += 1
        self.examples.setdefault((row, result.ending), example)
        self.edits += 1

    def merge(self, other: Tally) -> None:
        """Add another tally to this one."""
        for row, counted in other.counts.items():
            self.counts.setdefault(row, Counter()).update(counted)
        for key, example in other.examples.items():
            self.examples.setdefault(key, example)
        self.alarms += [each for each in other.alarms if each not in self.alarms]
        self.rounds += other.rounds
        self.edits += other.edits


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What is surveyed: games, the seed, edited rounds of each game, and one in this many golden cases (0: none).

    Of events of one type in one round, no more than `alike` are edited in the same way.
    """

    games: tuple[str, ...]
    seed: int
    rounds: int
    golden_share: int
    alike: int


class Task(msgspec.Struct, frozen=True):
    """A share of the work: a simulated round of a game, by its index, or golden cases from one index to another."""

    plan: Plan
    game: str
    first: int
    last: int
    is_golden: bool


def tasks(plan: Plan) -> list[Task]:
    """Divide a plan."""
    made = [Task(plan, game, at, at + 1, False) for at in range(plan.rounds) for game in plan.games]
    count = len(golden_cases())
    made += [Task(plan, "", at, min(at + 100, count), True) for at in range(0, count, 100)] if plan.golden_share else []
    return made


@lru_cache(maxsize=2)
def whole_rounds(game: str, seed: int, rounds: int) -> tuple[tuple[Specimen, ...], tuple[FalseAlarm, ...]]:
    """Return the simulated rounds of a game that are edited, and the false alarms of its floor."""
    specimens, alarms = simulated(game, seed, FLOOR_ROUNDS)
    return tuple(chosen(specimens, rounds, Random(f"{seed}/{game}"))), tuple(alarms)


def perform(task: Task, allowances: Allowances) -> Tally:
    """Judge every edit of a share."""
    tally = Tally()
    for specimen in _specimens_of(task, tally):
        tally.rounds += 1
        for edit in spread(
            edits(specimen.reports), allowances.frame, task.plan.alike, Random(f"{task.plan.seed}/{specimen.name}")
        ):
            tally.add(row_of(specimen, edit), outcome(specimen, edit), example_of(specimen, edit))
    return tally


def _specimens_of(task: Task, tally: Tally) -> Iterator[Specimen]:
    plan = task.plan
    if task.is_golden:
        cases = [case for case in golden_cases()[task.first : task.last] if rank(case, plan.seed) % plan.golden_share == 0]
        yield from (each for each in golden(cases) if each.game in plan.games)
        return
    specimens, alarms = whole_rounds(task.game, plan.seed, plan.rounds)
    if task.first == 0:
        tally.alarms += alarms
    yield from specimens[task.first : task.last]


def rank(case: GoldenCase, seed: int) -> int:
    """Return where a golden case is in the order of a seed: by its title, so that a new case moves no other one."""
    return int.from_bytes(sha256(f"{seed}/{case.path.parent.name}/{case.title}".encode()).digest())


def spread(every: Iterable[Edit], frame: Mapping[str, str], most: int, random: Random) -> list[Edit]:
    """Return edits, of events of one type in a round no more than a few that are edited alike."""
    alike: dict[tuple[str, str, str], list[Edit]] = {}
    for edit in every:
        if edit.event not in frame:
            alike.setdefault((edit.event, edit.field, edit.how), []).append(edit)
    return [edit for group in alike.values() for edit in (random.sample(group, most) if len(group) > most else group)]


def row_of(specimen: Specimen, edit: Edit) -> Row:
    """Return the line of the survey that an edit belongs to."""
    reports, how = specimen.reports, edit.how
    if edit.before is not None and not edit.repeats:
        past = edit.before if edit.before < edit.at else edit.before - 1
        how += _apart(reports, past)
    is_void = specimen.conclusion.verdict == "VOID" or _is_all_returned(reports)
    event = edit.event + _apart(reports, edit.at)
    return Row(specimen.game, event, edit.field, how, specimen.whole, is_void)


def _is_all_returned(reports: Iterable[Report]) -> bool:
    """Whether wagers were returned as void and none was settled otherwise: the round of a single hand that was void."""
    settling = [each.payload for each in reports if isinstance(each.payload, SETTLING)]
    return any(getattr(each, "reason", "") == "void" for each in settling) and all(
        getattr(each, "reason", "") in ("void", "late") for each in settling
    )


def _apart(reports: Sequence[Report], at: int) -> str:
    """Return the words for an event that concerns another deck or another round than the one that is dealt, else none."""
    payload = reports[at].payload
    if isinstance(payload, model.PlayerDealerWagered):
        return NEXT_ROUND if any(isinstance(each.payload, model.CardsDealt) for each in reports[:at]) else ""
    decks = {each.payload.deck for each in reports if isinstance(each.payload, model.RoundOpened)}
    deck = getattr(payload, "deck", None)
    return OTHER_DECK if deck is not None and deck not in decks else ""


def example_of(specimen: Specimen, edit: Edit) -> str:
    """Say which event of which round was edited."""
    return f"{specimen.name}, event {edit.at + 1} of its window"


def run(plan: Plan, allowances: Allowances, jobs: int, progress: Callable[[int, int], None]) -> Tally:
    """Judge every edit of a plan in this many processes; the same result whatever their number."""
    work, tally = tasks(plan), Tally()
    with ProcessPoolExecutor(jobs) as pool:
        for done, share in enumerate(pool.map(perform, work, [allowances] * len(work)), 1):
            tally.merge(share)
            progress(done, len(work))
    return tally


def sample(plan: Plan, game: str, allowances: Allowances, most: int) -> Tally:
    """Judge two edits of this many rows of a game, chosen by the seed; and of each open entry, until one is still open."""
    specimens, alarms = whole_rounds(game, plan.seed, plan.rounds)
    tally = Tally(alarms=list(alarms), rounds=len(specimens))
    random = Random(f"{plan.seed}/{game}/sample")
    by_row: dict[Row, list[tuple[Specimen, Edit]]] = {}
    for specimen in specimens:
        for edit in edits(specimen.reports):
            if edit.event not in allowances.frame:
                by_row.setdefault(row_of(specimen, edit), []).append((specimen, edit))
    rows = sorted(by_row)
    random.shuffle(rows)

    def judge(row: Row) -> None:
        for specimen, edit in random.sample(by_row[row], min(2, len(by_row[row]))):
            tally.add(row, outcome(specimen, edit), example_of(specimen, edit))

    for row in rows[:most]:
        judge(row)
    left = {entry: TRIED for entry in allowances.entries if entry.kind == "open"}
    for row in rows:
        entry = allowances.entry_for(row)
        if entry is None or not left.get(entry, 0):
            continue
        if row not in tally.counts:
            judge(row)
        is_open = any(ending in (Ending.NOTHING, Ending.MONEY) for ending, _ in tally.counts[row])
        left[entry] = 0 if is_open else left[entry] - 1
    return tally


def golden_sample(seed: int, cases: int, most: int) -> Tally:
    """Judge this many edits of each of this many golden cases, chosen by the seed and the cases' titles."""
    tally = Tally()
    for specimen in golden(nsmallest(cases, golden_cases(), key=lambda case: rank(case, seed))):
        tally.rounds += 1
        every = list(edits(specimen.reports))
        for edit in Random(f"{seed}/{specimen.name}").sample(every, min(most, len(every))):
            tally.add(row_of(specimen, edit), outcome(specimen, edit), example_of(specimen, edit))
    return tally
