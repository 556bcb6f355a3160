"""Transcripts for a log: what a person observed of rounds goes to `observed/<table>`, each round whole or not at all.

A round is read by the rules that its table had in force on the day of play, which it pins; a `rules` line that states others
refuses it. Times are those of the property, or of the video if its clock's offset is given. The same transcript handed in again
by the same person changes nothing. One with a line that cannot be read is refused whole, for the rounds that follow depend on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from desk.recorded_round import property_configured
from desk.review.desk import Desk
from desk.review.observations import enter, must_know, same_round
from desk.review.persons import ReviewRefused
from events.vocabulary import model
from events.vocabulary.model import Event
from intake.filings import TableFilings
from replay.transcript.clock import clock_of
from replay.transcript.read import DECK
from replay.transcript.transcript import Script, parse

Basis = model.Basis
_STATES_TIME = re.compile(r"^[ \t]*at[ \t]+[^+\s]", re.MULTILINE)


class Observer(NamedTuple):
    """Who observed the rounds of a transcript, where and how; `same_as` is a recorded round that it is another record of."""

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
    """Return the rules that a table had in force on a day of play; None if it had filed none by then."""
    filings = TableFilings()
    filings.read_on(desk.log, f"table/{table}")
    pinned = filings.pinned(day)
    return None if pinned is None else pinned[1]


class EnteredScript(NamedTuple):
    """A round of a transcript: its number in `observed/<table>`, and how many events were stored (0: it was there already)."""

    line: int
    round_no: int
    events: int


def enter_transcript(
    desk: Desk, text: str, source: str, load: Callable[[str], str], observer: Observer
) -> Iterator[EnteredScript]:
    """Enter the rounds of a transcript, and yield each. Raises `TranscriptError`, and `ReviewRefused` naming the line."""
    must_know(desk, observer.table)
    filings = TableFilings()
    filings.read_on(desk.log, f"table/{observer.table}")
    pinned = filings.pinned(observer.day)
    if pinned is None:
        raise ReviewRefused(
            f"table {observer.table} had filed no rules by {observer.day}: there is nothing to judge a round by"
        )
    seq, rules = pinned
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
        clock=clock_of(property_configured(desk.log)),
        table=observer.table,
        gaming_day=observer.day,
    )
    if same is not None and len(scripts) > 1:
        raise ReviewRefused(
            f"{source} has {len(scripts)} rounds, and only one can be the same as round {same.round_no}"
        )
    has_times = _STATES_TIME.search(text) is not None
    for index, script in enumerate(scripts, 1):
        try:
            _check(script, observer, rules)
            header, events = _entry(script, observer, model.PinnedRules(seq=seq, sha256=rules.sha256), same, has_times)
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
    if script.rules.toml != rules.toml:
        raise ReviewRefused(
            f"the `rules` line states rules of SHA-256 {script.rules.sha256[:16]}…, and table {observer.table} had filed "
            f"others, {rules.sha256[:16]}…; leave the line out, and the round is judged by what was filed"
        )


def _entry(
    script: Script, observer: Observer, pinned: model.PinnedRules, same: model.SameRound | None, has_times: bool
) -> tuple[model.RoundObserved, list[tuple[Event, int]]]:
    """Return the header of an entry, and what was seen with its times."""
    ahead_us = (observer.clock_offset_ms or 0) * 1_000
    dealer, seen = observer.dealer, list[tuple[Event, int]]()
    opening = next(each.payload for each in script.events if isinstance(each.payload, model.RoundOpened))
    for each in script.events:
        if isinstance(each.payload, model.DealerTappedIn):
            dealer = each.payload.dealer
        elif not isinstance(each.payload, model.RoundOpened | model.RulesFiled):
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
