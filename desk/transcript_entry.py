"""Enters transcripts of observed rounds into `observed/<table>`, each round whole or not at all.

A round is read by the rules that its table had on the day of play, which the round pins; a `rules` line with others is refused.
Times are the property's, or the video's if its clock's offset is given. The same transcript by the same person again changes
nothing. If a line cannot be read, the whole transcript is refused, since later rounds depend on it.
"""

import functools
import re
from collections.abc import Callable, Iterator
from datetime import UTC
from typing import NamedTuple

from desk.recorded_round import property_configured
from desk.review.desk import Desk
from desk.review.observations import add_line, correct, enter, must_know, same_round
from desk.review.observed_table import EnteredRound, ObservedTable
from desk.review.persons import ReviewRefused
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.model import Event
from intake.filings import TableFilings
from replay.narrative.names import moment
from replay.transcript.clock import clock_of
from replay.transcript.read import DECK
from replay.transcript.transcript import Script, parse
from replay.transcript.write import statement

Basis = model.Basis
_STATES_TIME = re.compile(r"[ \t]*at[ \t]+[^+\s]")


class Observer(NamedTuple):
    """The observer of a transcript's rounds, the place and the method; `same_as` is another record of the round."""

    table: str
    day: str
    by: str
    basis: model.Basis
    camera: str | None = None
    clock_offset_ms: int | None = None
    dealer: str | None = None
    observation: str | None = None
    order_seen: bool = True
    same_as: int | None = None
    same_entry: int | None = None


def filed_rules(desk: Desk, table: str, day: str) -> model.RulesFiled | None:
    """Return a table's rules on a day of play; None if none were filed by then."""
    try:
        return filing_of(desk, table, day)[1]
    except ReviewRefused:
        return None


def filing_of(desk: Desk, table: str, day: str) -> tuple[int, model.RulesFiled]:
    """Return the filing for a table's rounds on a day, and the number of its event. Raises `ReviewRefused`."""
    filings = TableFilings()
    filings.read_on(desk.log, f"table/{table}")
    return _pinned(filings, table, day)


def _pinned(filings: TableFilings, table: str, day: str) -> tuple[int, model.RulesFiled]:
    pinned = filings.pinned(day)
    if pinned is None:
        raise ReviewRefused(f"table {table} had filed no rules by {day}: there is nothing to judge a round by")
    return pinned


class EnteredScript(NamedTuple):
    """A round of a transcript: its number in `observed/<table>`, and the number of events stored (0: it existed)."""

    line: int
    round_no: int
    events: int


def enter_transcript(
    desk: Desk, text: str, source: str, load: Callable[[str], str], observer: Observer
) -> Iterator[EnteredScript]:
    """Enter and yield the rounds of a transcript. Raises `TranscriptError`, and `ReviewRefused`, which names the line."""
    must_know(desk, observer.table)
    filings = TableFilings()
    filings.read_on(desk.log, f"table/{observer.table}")
    seq, rules = _pinned(filings, observer.table, observer.day)
    same = None
    if observer.same_as is not None:
        same = same_round(desk, observer.table, observer.same_as)
    elif observer.same_entry is not None:
        same = same_round(desk, observer.table, observer.same_entry, observed=True)
    scripts = parse(
        text,
        source,
        load,
        filed=lambda table, day: rules.toml,
        published=filings.editions,
        clock=clock_of(property_configured(desk.log)),
        table=observer.table,
        gaming_day=observer.day,
    )
    if same is not None and len(scripts) > 1:
        raise ReviewRefused(f"{source} has {len(scripts)} rounds, and only one can be the same as round {same.round_no}")
    stated = [number for number, line in enumerate(text.splitlines(), 1) if _STATES_TIME.match(line)]
    for index, script in enumerate(scripts, 1):
        try:
            _check(script, observer, rules)
            for number in stated:
                first = next((each.at_us for each in script.events if each.line > number), None)
                if first is not None:
                    desk.must_be_past(first - (observer.clock_offset_ms or 0) * 1_000)
            header, events = _entry(script, observer, model.PinnedRules(seq=seq, sha256=rules.sha256), same, bool(stated))
            content = repr((index, script.round_no, header, events))
            yield EnteredScript(script.line, *enter(desk, observer.table, header, events, content))
        except ReviewRefused as error:
            raise ReviewRefused(f"{source}:{script.line}: {error}") from error


def _check(script: Script, observer: Observer, rules: model.RulesFiled) -> None:
    if script.table != observer.table or script.gaming_day != observer.day:
        raise ReviewRefused(
            f"the round is of table {script.table} on {script.gaming_day}, and --table and --day say {observer.table} on "
            f"{observer.day}; leave the lines `table` and `day` out, or enter each day by itself"
        )
    if any(isinstance(each.payload, model.ChapterPublished) for each in script.events):
        raise ReviewRefused("an `edition` line publishes nothing here; the office does, with `rack rules amend`")
    if script.rules.toml != rules.toml:
        raise ReviewRefused(
            f"the `rules` line states rules of SHA-256 {script.rules.sha256[:16]}…, and table {observer.table} had filed "
            f"others, {rules.sha256[:16]}…; leave the line out, and the round is judged by what was filed"
        )


def _entry(
    script: Script, observer: Observer, pinned: model.PinnedRules, same: model.SameRound | None, has_times: bool
) -> tuple[model.RoundObserved, list[tuple[Event, int]]]:
    """Return the header of an entry, and the observed events with their times."""
    ahead_us = (observer.clock_offset_ms or 0) * 1_000
    dealer, seen = observer.dealer, list[tuple[Event, int]]()
    opening = _opening(script)
    for each in script.events:
        if isinstance(each.payload, model.DealerTappedIn):
            dealer = each.payload.dealer
        elif not isinstance(each.payload, model.RoundOpened | model.RulesFiled | model.ChapterPublished):
            seen.append((each.payload, each.at_us - ahead_us))
    names_deck = opening.deck != DECK or any(getattr(event, "deck", None) == opening.deck for event, _ in seen)
    header = model.RoundObserved(
        basis=observer.basis,
        by=observer.by,
        camera=observer.camera,
        clock_offset_ms=observer.clock_offset_ms,
        dealer=dealer,
        deck=opening.deck if names_deck else None,
        observation=observer.observation,
        observed=opening.observed,
        order_seen=observer.order_seen and script.order_seen,
        played_from_us=seen[0][1] if has_times and seen else None,
        played_gaming_day=observer.day,
        played_to_us=seen[-1][1] if has_times and seen else None,
        rules=pinned,
        same_as=same,
    )
    return header, seen


def correct_line(desk: Desk, table: str, seq: int, line: str, *, by: str, reason: str) -> EnteredRound:
    """Correct a line of an entry to what a line of a transcript says. Raises `TranscriptError`, and the errors of `correct`."""
    state = ObservedTable(desk.log, table)
    entered = next((each for each in state.rounds.values() if seq in each.lines), None)
    if entered is None:
        raise ReviewRefused(f"event {seq} of {state.stream} is no line of an entry")
    read = _read_line(desk, table, entered, line, leave_out=seq)[0]
    if len(read) != 1:
        raise ReviewRefused(f"{line.split(maxsplit=1)[0]}: one line replaces a line; this states {len(read)} things")
    return correct(desk, table, seq, read[0], by=by, reason=reason)


def add_to_entry(
    desk: Desk, table: str, round_no: int, line: str, *, by: str, reason: str, after: int | None = None
) -> EnteredRound:
    """Add a forgotten transcript line to an entry. Raises `TranscriptError`, and the errors of `add_line`."""
    entered = ObservedTable(desk.log, table).round(round_no)
    lines, covers = _read_line(desk, table, entered, line)
    return add_line(desk, table, round_no, lines, covers, by=by, reason=reason, after=after)


def _read_line(
    desk: Desk, table: str, entered: EnteredRound, line: str, leave_out: int | None = None
) -> tuple[list[Event], list[model.Aspect]]:
    """Parse a transcript line that follows the lines of an entered round; return its events and the aspects that it covers."""
    if "\n" in line or not line.split("#", 1)[0].strip():
        raise ReviewRefused("state one line, as in a transcript: pay seat=3 base 25.00")
    pinned, stream = entered.header.rules, f"table/{table}"
    filing = next((decode(each.data).payload for each in desk.log.read(stream, pinned.seq, pinned.seq)), None)
    if not isinstance(filing, model.RulesFiled):
        raise ReviewRefused(f"event {pinned.seq} of {stream}, by which the round is judged, files no rules")
    filings = TableFilings()
    filings.read_on(desk.log, stream)
    read_text = functools.partial(
        parse,
        source="the line",
        load=lambda name: filing.toml,
        published=filings.editions,
        table=table,
        gaming_day=entered.header.played_gaming_day,
    )
    before = ["rules filed.toml", "round 1"]
    for seq, event in entered.counts.items():
        if seq != leave_out and event is not None and not isinstance(event, model.RoundObserved | model.RoundClosed):
            before.append(statement(event) or "")
    read: list[Script] = []
    for lines in (before, [*before, line]):
        read += read_text("\n".join(lines))
    if len(read) != 2 or read[1].round_no != 1:
        raise ReviewRefused(f"{line.split(maxsplit=1)[0]}: this is no line of a round")
    said = [each.payload for each in read[1].events if each.line == len(before) + 1]
    if not said:
        raise ReviewRefused(f"{line.split(maxsplit=1)[0]}: this says nothing that happened in the round")
    alone = read_text(f"rules filed.toml\nround 1\n{line}")[0]
    covered = [_opening(each).observed for each in (read[1], alone)]
    return said, [each for each in covered[0] if each in covered[1]]


def _opening(script: Script) -> model.RoundOpened:
    return next(each.payload for each in script.events if isinstance(each.payload, model.RoundOpened))


def line_of(event: Event) -> str:
    """Return the transcript line of an entry's event; empty for the entry's header and end."""
    return "" if isinstance(event, model.RoundObserved | model.RoundClosed) else statement(event) or ""


def gaming_day_of(desk: Desk, at_us: int) -> str:
    """Return the property's gaming day of a time (UTC microseconds)."""
    return clock_of(property_configured(desk.log)).gaming_day(moment(at_us, UTC))
