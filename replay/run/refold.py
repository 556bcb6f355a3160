"""Folds a stream again, with every correction in its place; the result is only what differs.

This is done when an event reaches back further than the rounds at hand (a correction that later rounds depend on, an event that
comes very late), and when another engine resumes a stream. Verdicts between the first fold and this one are not
published again.

The stream is read twice: by a scout, which judges nothing and collects the corrections and the rounds of which facts come late;
then by the worker, which applies the corrections in force where the events they correct are.

The idea that makes it cheap: both begin at the last rest point (`rest_points.py`) that nothing after it reaches behind.
Everything up to there was folded with all its corrections. A fold from the first event would reach the same state, and the
rounds before are judged already. The scout finds out whether a point is one; if it is not, the scout begins again further back,
in the end at the first event.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from events.errors import IntegrityError
from events.log.contract import Record
from events.log.runs import runs_of
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Envelope
from events.vocabulary.model import RoundOpened
from replay.fold.corrections import Correction, effective
from replay.fold.device_reports import MOST_AT_HAND, RECENT_ROUNDS
from replay.fold.event_reach import late_by_round
from replay.run.held import VerdictKeeper
from replay.run.rest_points import BEGINNING, RestPoint, RestPoints
from replay.run.stream_worker import LatestResult, Result, StreamWorker, withdrawal
from rulebook.chapters.rulebook import Rulebook

CLOSE = 1000
"""Events that are read in one go with the one that is wanted, if others of them are wanted."""


class Reader(Protocol):
    """Reads a stream's records from one number to another (or to the end), as often as it is asked."""

    def __call__(self, first: int = 1, last: int | None = None) -> Iterator[Record]:
        """Yield the records, in order."""


class Refold(NamedTuple):
    """The worker after the last record, the results that differ, and the error that broke the stream off, or None."""

    worker: StreamWorker
    results: list[Result]
    broken: IntegrityError | None


def refold(
    stream: str,
    read: Reader,
    end: int | None,
    latest: LatestResult,
    findings_in_force: Callable[[], Collection[str]],
    rules: Rulebook | None,
    make: Callable[[str, LatestResult], StreamWorker] = StreamWorker,
    points: RestPoints | None = None,
    judged: dict[str, bytes] | None = None,
    keeper: Callable[[int], VerdictKeeper | None] = lambda seq: None,
    asked: Collection[int] = (),
) -> Refold:
    """Fold a stream again, to `end` or to where it breaks off.

    `findings_in_force` returns the ids of the findings on this stream; of a meter's stream those not found again are
    withdrawn (of a table's, the revisions of its rounds do that). `make` makes the workers that begin at the first event. Of
    `points`, of the fold until now, those remain that still hold, and the new worker adds to them. `judged` are the digests of
    what earlier refolds judged, by the key of the round: what is as it was then is not judged again.
    `keeper`, told the event after which the fold begins, returns who says which verdicts remain whatever is concluded now.
    """
    points = points if points is not None else RestPoints()
    point, scout, broken = _scout(stream, read, end, latest, make, points)
    corrections = _corrections(scout)
    objections, of_rounds = _objections(scout, read)
    worker = _begun(stream, latest, make, point)
    worker.judging, worker.rules, worker.keeper = True, rules, keeper(point.seq)
    points.forget_after(point.seq)
    points.refolded_to = scout.seq
    worker.rest_points = points
    worker.refold_evidence = judged if judged is not None else {}
    if worker.table is not None and scout.table is not None:
        state = worker.table.state
        state.editions = tuple(dict.fromkeys((*state.editions, *scout.table.published.texts)))
    worker.correct(
        effective(made for made in corrections if made.seq not in objections),
        objections,
        scout.table.missed_rounds | _numbers(corrections) | of_rounds if scout.table else (),
    )
    if worker.table is not None and scout.table is not None:
        worker.table.moved, worker.table.known_gaps = scout.table.moved, scout.table.far_gaps
        worker.table.filled_gaps, worker.table.filers = scout.table.filled_gaps, scout.table.filers
        worker.table.late_of = late_by_round(scout.table.late, worker.replacements or {})
        worker.table.keeps = _at_hand(scout.table.state.last_round_no, asked)
    results: list[Result] = []
    for run in runs_of(read(point.seq + 1, scout.seq)) if scout.seq > point.seq else ():
        worker.take_run(run, results.append)
    results += worker.finish()
    numbers = (scout.opened_rounds or set()) | _numbers(corrections)
    results += worker.withdraw(numbers - (worker.opened_rounds or set()))
    worker.inherited_to = max(numbers, default=0)  # a round that is open again, its closing corrected, has its verdict
    if worker.meter is not None and broken is None:
        ids_found = {key for kind, key, _ in results if kind == "findings"}
        results += [withdrawal(id_, stream, None) for id_ in sorted({*findings_in_force()} - ids_found)]
    return Refold(worker, results, broken)


def _at_hand(last: int, asked: Collection[int]) -> int:
    """Return how many rounds stay at hand after a fold, up to the last, if something came late of those that were asked for."""
    back = last - min(asked, default=last)
    return back + RECENT_ROUNDS if back < MOST_AT_HAND else RECENT_ROUNDS


def _scout(
    stream: str,
    read: Reader,
    end: int | None,
    latest: LatestResult,
    make: Callable[[str, LatestResult], StreamWorker],
    points: RestPoints,
) -> tuple[RestPoint, StreamWorker, IntegrityError | None]:
    """Return the last point that nothing after it reaches behind, the scout that began there, and the error that broke it off."""
    *later, beginning = points.from_the_last()
    for point in later:
        scout = _begun(stream, latest, make, point)
        if scout.table is not None:
            scout.table.refolded_to = points.refolded_to
        broken = _walk(scout, read(point.seq + 1, end))
        if not _reaches_behind(scout, point):
            return point, scout, broken
    scout = _begun(stream, latest, make, beginning)
    return beginning, scout, _walk(scout, read(1, end))


def _begun(
    stream: str, latest: LatestResult, make: Callable[[str, LatestResult], StreamWorker], point: RestPoint
) -> StreamWorker:
    worker = make(stream, latest) if point == BEGINNING else StreamWorker.at(point, stream, latest)
    worker.judging, worker.opened_rounds = False, set()
    return worker


def _reaches_behind(scout: StreamWorker, point: RestPoint) -> bool:
    """Whether anything that the scout read depends on events before its starting point."""
    fold, corrections = scout.table, _corrections(scout)
    if fold is None or fold.reaches_behind or fold.published.reach_behind:
        return True
    if any(number <= fold.begins_after for number in _numbers(corrections)):
        return True
    return any(made.superseded <= point.seq for made in corrections)


def _walk(scout: StreamWorker, records: Iterator[Record]) -> IntegrityError | None:
    """Let a worker that judges nothing take records as far as they can be read; return the error that breaks them off."""
    fold = scout.table or scout.meter or scout.observed
    try:
        for run in runs_of(records):
            scout.take_run(run, lambda result: None)
    except IntegrityError as error:
        return error
    finally:
        if fold is not None:  # what reaches back is for the worker that comes after
            scout.needs_refold = fold.needs_refold = False
    return None


def _corrections(scout: StreamWorker) -> Sequence[Correction]:
    fold = scout.table or scout.meter or scout.observed
    return fold.corrections if fold is not None else []


def _objections(scout: StreamWorker, read: Reader) -> tuple[dict[int, str], set[int]]:
    """Return why void corrections that a scout read do not count, by their own numbers, and the rounds of all corrections.

    The reason is empty if the right correction followed (D851): then nothing is found of the void one.
    """
    corrections = _corrections(scout)
    events = _events(read, {made.superseded for made in corrections if made.superseded < made.seq})
    ids = {seq: event.event_id for seq, event in events.items()}
    objections = {made.seq: objection for made in corrections if (objection := made.objection(ids))}
    refused = [made for made in corrections if made.seq in objections]
    counting = [made for made in corrections if made.seq not in objections]
    named = {made.round_no for made in refused} | {event.round_no for event in events.values()}
    for made in refused:
        if any(right.settles(made) for right in counting):
            objections[made.seq] = ""
    return objections, {round_no for round_no in named if round_no is not None}


def _events(read: Reader, numbers: Collection[int]) -> dict[int, Envelope]:
    """Return the events with these numbers; read events close to each other in one go."""
    events: dict[int, Envelope] = {}
    wanted = sorted(numbers)
    while wanted:
        close = bisect_right(wanted, wanted[0] + CLOSE)
        found = (record for record in read(wanted[0], wanted[close - 1]) if record.seq in numbers)
        events |= {record.seq: decode(record.data) for record in found}
        wanted = wanted[close:]
    return events


def _numbers(corrections: Iterable[Correction]) -> set[int]:
    """Return the round numbers of openings that corrections stated, in force or superseded since."""
    openings = [made.replacement for made in corrections if made.replacement is not None]
    return {round_no for round_no, payload in openings if isinstance(payload, RoundOpened) and round_no is not None}
