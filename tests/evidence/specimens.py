"""Honest rounds to edit: simulated ones, whose records are whole, and golden ones, which record what their question needs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import NamedTuple

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from replay.findings import NOTHING_SETTLED, Adjudication
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import TableState
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.replayer import MemoryResults, replay
from replay.run.stream_worker import rules_in_force
from replay.transcript.transcript import Script, parse
from rulebook.chapters.rulebook import Rulebook
from tests.evidence.judging import STEP, Report, Window, fingerprint, folded
from tests.floor.simulated import stored
from tests.golden.rounds import GoldenCase, read_cases, round_files
from tests.replay.tables import MemoryLog

LATER_ROUNDS = 6
"""This many rounds after the edited one are judged with it, as long as the edit still makes a difference to the table."""


def is_honest(found: Conclusion) -> bool:
    """Say whether nothing is found or doubted; that nothing is on record of the settlement is no doubt of what is due (D860)."""
    return found.verdict in ("UPHELD", "VOID") or found.undetermined == (NOTHING_SETTLED,)


class Specimen(msgspec.Struct, frozen=True, kw_only=True):
    """An honest round to edit: the table before it, its window of the stream, the windows after it, and all their verdicts.

    `whole`: a simulated table recorded everything. A golden round records what its question needs.
    """

    game: str
    name: str
    stream: str
    whole: bool
    before: bytes
    windows: tuple[Window, ...]
    honest: tuple[Mapping[int, Conclusion], ...]
    after: tuple[bytes, ...]
    books: Mapping[int, Rulebook] | None

    @property
    def conclusion(self) -> Conclusion:
        """The verdict on the round that is edited."""
        return self.honest[0][self.windows[0].round_no]

    @property
    def reports(self) -> tuple[Report, ...]:
        """The events of the round that is edited."""
        return self.windows[0].reports


class FalseAlarm(msgspec.Struct, frozen=True):
    """An honest simulated round that is not upheld."""

    game: str
    name: str
    found: str


def simulated(game: str, seed: int, rounds: int) -> tuple[list[Specimen], list[FalseAlarm]]:
    """Return the rounds of a simulated floor that can be edited, and the honest rounds of it that raise an alarm.

    A round whose verdict a later event changes (a correction, a message that comes very late) is not edited.
    """
    streams = stored(simulate(seed, rounds, plant=False, games=(game,)))
    tables = {stream: drafts for stream, drafts in streams.items() if stream.startswith("table/")}
    final = replayed(tables)
    alarms = [
        FalseAlarm(game, f"seed {seed} {key}", "; ".join(each.line() for each in verdict.findings))
        for key, verdict in final.items()
        if verdict.verdict == "VARIANCE"
    ]
    specimens = [
        each
        for stream, drafts in tables.items()
        for each in _specimens(game, f"seed {seed} {stream}", stream, list(windows_of(stream, drafts)), whole=True)
        if each.conclusion.settlements == (last := final[f"{stream}#{each.windows[0].round_no}"]).settlements
        and last.verdict == each.conclusion.verdict
    ]
    return specimens, alarms


def windows_of(stream: str, drafts: Sequence[Draft]) -> Iterator[Window]:
    """Divide a table's stream into windows: what came after the round before, the round, and what follows it at once."""
    day, reports, closed = "", list[Report](), None
    for draft in drafts:
        if closed is not None and draft.round_no != closed:
            yield Window(tuple(reports), closed)
            reports, closed = [], None
        if isinstance(draft.payload, model.GamingDayOpened):
            day = draft.payload.gaming_day
        reports.append(
            Report(
                seq=(len(reports) + 1) * STEP,
                payload=draft.payload,
                round_no=draft.round_no,
                source=draft.source,
                source_seq=draft.source_seq,
                at_us=draft.occurred_at_us,
                day=day,
            )
        )
        if isinstance(draft.payload, model.RoundClosed):
            closed = draft.round_no
    if closed is not None:
        yield Window(tuple(reports), closed)


def _specimens(
    game: str, name: str, stream: str, windows: Sequence[Window], *, whole: bool, books: Mapping[int, Rulebook] | None = None
) -> Iterator[Specimen]:
    """Fold a stream once, window by window, and yield a specimen of every honest round."""
    state, first = TableState(), 0
    placed, before, after, verdicts = [], [], [], list[Mapping[int, Conclusion]]()
    for window in windows:
        window = window.after(first)
        first = window.reports[-1].seq + STEP
        placed.append(window)
        before.append(msgspec.msgpack.encode(state))
        fold = TableFold(stream, state)
        rounds = folded(fold, window.reports)
        verdicts.append({number: conclusion(each, books) for number, each in rounds.items()})
        state = fold.state
        after.append(fingerprint(state))
    for at, window in enumerate(placed):
        found = verdicts[at].get(window.round_no)
        if found is None or not is_honest(found) or found.findings or _has_stragglers(window):
            continue
        end = at + 1 + LATER_ROUNDS
        yield Specimen(
            game=game,
            name=f"{name} round {window.round_no}",
            stream=stream,
            whole=whole,
            before=before[at],
            windows=tuple(placed[at:end]),
            honest=tuple(verdicts[at:end]),
            after=tuple(after[at:end]),
            books=books,
        )


def conclusion(round_: Round, books: Mapping[int, Rulebook] | None) -> Conclusion:
    """Judge a round: by the rules given for it (of a golden round), else by those in force at its table."""
    rules: Rulebook | str | None = books.get(round_.round_no, next(iter(books.values()))) if books else None
    rules = rules if rules is not None else rules_in_force(round_)
    if isinstance(rules, str):
        return Conclusion(verdict="UNDETERMINED", undetermined=(rules,), findings=(), settlements=())
    return adjudicate(round_, rules)


def replayed(streams: Mapping[str, Sequence[Draft]]) -> dict[str, Adjudication]:
    """Return the last verdict on every round of tables, by `stream#round`, as a replay of their log comes to it."""
    results = MemoryResults()
    replay(MemoryLog([TableDrafts(stream, drafts) for stream, drafts in streams.items()]), results)
    return {key: msgspec.json.decode(data, type=Adjudication) for key, data in results.results("adjudications")}


class TableDrafts(NamedTuple):
    """A table's stream and what its devices report."""

    stream: str
    drafts: Sequence[Draft]


def _has_stragglers(window: Window) -> bool:
    """Whether the window has an event of another round, or one that changes events before it."""
    return any(
        each.round_no not in (None, window.round_no) or isinstance(each.payload, model.EventCorrected) for each in window.reports
    )


@cache
def golden_cases() -> tuple[GoldenCase, ...]:
    """Return all golden cases."""
    return tuple(case for path in round_files() for case in read_cases(path))


def golden(cases: Iterable[GoldenCase]) -> Iterator[Specimen]:
    """Yield the honest rounds of golden cases."""
    for case in cases:
        scripts = parse(case.transcript, case.path.name, lambda name, case=case: (case.path.parent / name).read_text())
        if len({script.table for script in scripts}) > 1:
            continue
        books = {script.round_no: script.book for script in scripts}
        name = f"{case.path.parent.name}/{case.path.stem}: {case.title}:"
        windows = list(_windows_of_scripts(scripts))
        game, stream = scripts[0].book.chapter.game, f"table/{scripts[0].table}"
        yield from _specimens(game, name, stream, windows, whole=False, books=books)


def _windows_of_scripts(scripts: Sequence[Script]) -> Iterator[Window]:
    count = 0
    for script in scripts:
        reports, inside = [], False
        for each in script.events:
            inside = inside or isinstance(each.payload, model.RoundOpened)
            count += 1
            reports.append(
                Report(
                    seq=(len(reports) + 1) * STEP,
                    payload=each.payload,
                    round_no=script.round_no if inside else None,
                    source="transcript",
                    source_seq=count,
                    at_us=each.at_us,
                    day=script.gaming_day,
                )
            )
        yield Window(tuple(reports), script.round_no)


def known_games() -> tuple[str, ...]:
    """Return the games that can be simulated."""
    return tuple(SIMULATIONS)


def chosen(specimens: Sequence[Specimen], most: int, random: Random) -> list[Specimen]:
    """Choose this many specimens that as many event types as possible occur among them, the first of them by chance."""
    left = list(specimens)
    random.shuffle(left)
    taken: list[Specimen] = []
    seen: set[type[Event]] = set()
    while left and len(taken) < most:
        best = max(left, key=lambda each: len({report.payload.KIND for report in each.reports} - seen))
        left.remove(best)
        taken.append(best)
        seen |= {report.payload.KIND for report in best.reports}
    return taken
