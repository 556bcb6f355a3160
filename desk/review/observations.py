"""Observations and their rounds: the one writer of `observed/<table>`, and its checks.

Invariant: an entry is stored whole or not at all, in the name of a registered person, after every check. A stored entry is only
corrected, by an author and with a reason, under the same number.
"""

import secrets
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from desk.review.desk import Desk, review_event
from desk.review.observed_table import LATER, EnteredRound, Observation, ObservedTable, drawn, verdict_of
from desk.review.persons import ReviewRefused
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event, EventCorrected2, Replacement
from events.vocabulary.places import writers_of
from intake.filings import published
from replay.fold.observed_fold import in_usual_order, usual_place

CLOSED_BY = "observer"
"""Who ends an entry in which the observer did not see the round closed."""

# ------------------------------------------------------------------------------------------------------------ observations


def open_observation(desk: Desk, table: str, seed: str | None = None, **fields: Any) -> model.ObservationOpened:
    """Open an observation; `fields` are the event's. The seed of a random selection is drawn here, before anybody looks.

    `seed` is for a simulation that must repeat a log.
    """
    must_know(desk, table)
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        name = fields["observation"] = fields.get("observation") or f"o-{len(state.observations) + 1}"
        if name in state.observations:
            raise ReviewRefused(f"{state.stream} has an observation {name!r} already; choose another id")
        is_random = fields["selection"] == "random"
        begins, ends, rounds = fields["frame_from_us"], fields["frame_to_us"], fields["frame_rounds"]
        if (begins is None) != (ends is None) or (begins is not None and begins >= ends):
            raise ReviewRefused("a frame has a beginning and an end after it; give both, or neither")
        if is_random and begins is None and rounds is None:
            raise ReviewRefused("a random selection is drawn from a frame; give its time, or the number of its rounds")
        if rounds is not None and fields["planned"] > rounds:
            raise ReviewRefused(f"{fields['planned']} rounds are planned, and the frame has {rounds}")
        if fields["purpose"] == "dealer_audit" and fields["dealer"] is None:
            raise ReviewRefused("a dealer audit needs its dealer; name the dealer")
        fields |= {"by": desk.person(fields["by"]).id, "seed": seed or secrets.token_hex(32) if is_random else None}
        opened = review_event(model.ObservationOpened, **fields)
        _write(desk, state, fields["by"], [(opened, None, None, None)])
    assert isinstance(opened, model.ObservationOpened)
    return opened


def close_observation(
    desk: Desk, table: str, *, observation: str, unreadable: int | None = None, by: str, reason: str
) -> Observation:
    """Close an observation, with the number of unreadable rounds (None: those recorded)."""
    must_know(desk, table)
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        found = state.unclosed(observation)
        person = desk.person(by).id
        unreadable = len(found.unreadable) if unreadable is None else unreadable
        if unreadable < len(found.unreadable):
            raise ReviewRefused(
                f"{len(found.unreadable)} selected rounds were recorded as not readable, and {unreadable} are stated"
            )
        closed = review_event(model.ObservationClosed, by=person, observation=observation, reason=reason, unreadable=unreadable)
        _write(desk, state, person, [(closed, None, None, None)])
        return ObservedTable(desk.log, table).observation(observation)


def unveil(desk: Desk, table: str, *, observation: str, by: str) -> None:
    """Record that a person saw the amounts due in the round that they are typing."""
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        state.observation(observation)
        person = desk.person(by).id
        _write(desk, state, person, [(model.VerdictUnveiled(by=person, observation=observation), None, None, None)])


def mark_unreadable(desk: Desk, table: str, *, observation: str, selected: int, by: str, reason: str) -> Observation:
    """Record that a selected round is unreadable."""
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        found = state.unclosed(observation)
        if selected in found.unreadable:
            raise ReviewRefused(f"{found.unreadable[selected].by} recorded that this round cannot be read")
        if (draws := drawn(found.opened)) and selected not in draws:
            raise ReviewRefused(f"{selected} was not drawn for observation {observation}; `rack observe work` lists what was")
        person = desk.person(by).id
        event = review_event(model.RoundUnreadable, by=person, observation=observation, reason=reason, selected=selected)
        _write(desk, state, person, [(event, None, None, None)])
        return ObservedTable(desk.log, table).observation(observation)


# ----------------------------------------------------------------------------------------------------------------- entries


def must_know(desk: Desk, table: str) -> None:
    """Raise `ReviewRefused` if the log has no such table."""
    if f"table/{table}" not in desk.log.streams():
        raise ReviewRefused(f"the log has no table {table!r}")


def same_round(desk: Desk, table: str, round_no: int, *, observed: bool = False) -> model.SameRound:
    """Return another record of a round, by the table's devices or an observer, in the form that an entry needs."""
    if observed:
        entered = ObservedTable(desk.log, table).round(round_no)
        first, last, stream = entered.seq, entered.last_seq, f"observed/{table}"
    else:
        stream = f"table/{table}"
        judged = verdict_of(desk.results, f"{stream}#{round_no}")
        if judged is None:
            raise ReviewRefused(f"table {table} has no judged round {round_no}; replay the log first, or leave out the round")
        first, last = judged.first_seq, judged.last_seq
    return model.SameRound(first_seq=first, last_seq=last, round_no=round_no, stream=stream)


def enter(
    desk: Desk, table: str, header: model.RoundObserved, events: Sequence[tuple[Event, int]], identity: str
) -> tuple[int, int]:
    """Enter a round; return its number and the number of events stored: 0 if the same entry exists.

    `events` are the observed events with their times (UTC microseconds); `identity` identifies this entry if it is handed in
    again. Raises `ReviewRefused`; then nothing is written.
    """
    must_know(desk, table)
    person = desk.person(header.by).id
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        event_id = sha256(f"rack/observed/v1/{state.stream}/{person}/{identity}".encode()).hexdigest()[:32]
        if event_id in state.ids:
            return state.ids[event_id], 0
        header = msgspec.structs.replace(header, by=person)
        _check(desk, state, header)
        for event, _ in events:
            _must_be_line(state, event, event)
        number = max(state.rounds, default=0) + 1
        seen = list(events)
        if not any(isinstance(event, model.RoundClosed) for event, _ in seen):
            seen.append((model.RoundClosed(by=CLOSED_BY), seen[-1][1] if seen else desk.now_us()))
        if not header.order_seen:
            times = sorted(at_us for _, at_us in seen)
            seen = list(zip(in_usual_order([event for event, _ in seen], lambda each: each), times, strict=True))
        begins = header.played_from_us if header.played_from_us is not None else seen[0][1]
        missing = _missing(desk, state)
        written: list[Written] = [(each, None, None, None) for each in missing]
        written += [(header, number, begins, event_id), *((event, number, at_us, None) for event, at_us in seen)]
        return number, _write(desk, state, person, written) - len(missing)


def _missing(desk: Desk, state: ObservedTable) -> list[model.ChapterPublished]:
    """Return the published amendments that the stream lacks; they apply to its rounds too."""
    return [each for each in published(desk.log) if each.toml not in state.editions]


def bring_editions(desk: Desk, by: str) -> None:
    """Copy the property's amendments to every stream of observed rounds, in a person's name."""
    person = desk.person(by).id
    with desk.log.turn():
        for stream in desk.log.streams():
            if stream.startswith("observed/"):
                state = ObservedTable(desk.log, stream.removeprefix("observed/"))
                missing = _missing(desk, state)
                if missing:
                    _write(desk, state, person, [(each, None, None, None) for each in missing])


def _check(desk: Desk, state: ObservedTable, header: model.RoundObserved) -> None:
    desk.must_have_begun(header.played_gaming_day)
    if header.played_from_us is not None:
        desk.must_be_past(header.played_from_us)
    if header.observation is not None:
        found = state.observation(header.observation)
        if found.closed is not None:
            raise ReviewRefused(f"observation {header.observation} was closed by {found.closed.by}; open another one")
        if found.opened.dealer is not None and header.dealer not in (None, found.opened.dealer):
            raise ReviewRefused(
                f"observation {header.observation} watches dealer {found.opened.dealer}, and {header.dealer} dealt this round"
            )
        begins, ends, at_us = found.opened.frame_from_us, found.opened.frame_to_us, header.played_from_us
        if at_us is not None and begins is not None and ends is not None and not begins <= at_us < ends:
            raise ReviewRefused(f"the round was played outside the frame of observation {header.observation}")
    if header.basis == "video" and header.camera is None:
        raise ReviewRefused("a round that was seen on video names its camera")


def confirm(desk: Desk, table: str, round_no: int, *, by: str) -> EnteredRound:
    """Confirm, as another person, that an entry agrees with its source."""
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        entered = state.round(round_no)
        second = desk.second_person(by, entered.header.by)
        if second.id in entered.confirmed_by:
            raise ReviewRefused(f"{second.id} confirmed round {round_no} already")
        _write(desk, state, second.id, [(model.EntryConfirmed(by=second.id), round_no, None, None)])
        return ObservedTable(desk.log, table).round(round_no)


def correct(desk: Desk, table: str, seq: int, changes: Mapping[str, Any] | Event | None, *, by: str, reason: str) -> EnteredRound:
    """Correct a line of an entry.

    `changes` are the wrong fields with their right values, or the whole line; None strikes the line or, at the header, withdraws
    the entry.

    Raises `ReviewRefused`; then nothing is written and the round is unchanged.
    """
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        entered = next((each for each in state.rounds.values() if seq in each.lines), None)
        if entered is None:
            raise ReviewRefused(f"event {seq} of {state.stream} is no line of an entry; `rack observe show` prints their numbers")
        person, before = desk.person(by).id, entered.counts[seq]
        if before is None or entered.is_withdrawn:
            raise ReviewRefused(f"event {seq} of {state.stream} was struck already")
        if changes is None and isinstance(before, model.RoundClosed):
            raise ReviewRefused("the end of an entry cannot be struck; strike its first line to withdraw the entry")
        after = _changed(before, changes) if isinstance(changes, Mapping) else changes
        _must_be_line(state, before, after)
        if isinstance(after, model.RoundObserved):
            _check(desk, state, after)
        if after == before:
            raise ReviewRefused(f"event {seq} of {state.stream} says so already")
        made = _correction(entered, seq, after, person, reason)
        _write(desk, state, person, [(made, entered.round_no, None, None)])
        return ObservedTable(desk.log, table).round(entered.round_no)


def add_line(
    desk: Desk,
    table: str,
    round_no: int,
    lines: Sequence[Event],
    covers: Sequence[str],
    *,
    by: str,
    reason: str,
    after: int | None,
) -> EnteredRound:
    """Add forgotten lines to an entry after the event `after`.

    If `after` is None and the order was not observed, each line goes to its usual place.

    `covers` is what the entry then covers. Raises `ReviewRefused`; then nothing is written and the round is unchanged.
    """
    with desk.log.turn():
        state = ObservedTable(desk.log, table)
        entered, person = state.round(round_no), desk.person(by).id
        if entered.is_withdrawn:
            raise ReviewRefused(f"the entry of round {round_no} was withdrawn; enter the round again")
        if after is not None and (after not in entered.lines or isinstance(entered.counts[after], model.RoundClosed)):
            raise ReviewRefused(f"event {after} is no line of round {round_no} after which another can be")
        if after is None and entered.header.order_seen:
            raise ReviewRefused(f"the order of round {round_no} was seen: name the line after which the forgotten one comes")
        written: list[Written] = []
        for number, line in enumerate(lines):
            _must_be_line(state, None, line)
            place = usual_place(line)
            usual = [seq for seq, each in entered.counts.items() if each is not None and _place_in(each) <= place]
            stated = Replacement(payload=msgspec.to_builtins(line), round_no=round_no, type=line.TYPE, version=line.VERSION)
            fields: dict[str, Any] = {"by": person, "line": stated, "reason": reason}
            fields["after_seq"] = state.next_seq(desk.today()) + number - 1 if number else after or usual[-1]
            at_us = entered.lines[after or usual[-1]].occurred_at_us
            written.append((review_event(model.EntryLineAdded, **fields), round_no, at_us, None))
        more = [aspect for aspect in covers if aspect not in entered.header.observed]
        if more:
            header = msgspec.structs.replace(entered.header, observed=[*entered.header.observed, *more])
            made = _correction(entered, entered.seq, header, person, reason)
            written.append((made, round_no, None, None))
        _write(desk, state, person, written)
        return ObservedTable(desk.log, table).round(round_no)


def _place_in(event: Event) -> int:
    return -1 if isinstance(event, model.RoundObserved) else usual_place(event)


def _must_be_line(state: ObservedTable, before: Event | None, line: Event | None) -> None:
    """Raise `ReviewRefused` unless a line may be in an entry (in place of `before`): a header stays a header, an end an end."""
    if line is None:
        return
    ends = (model.RoundObserved, model.RoundClosed)
    if isinstance(line, LATER) or "desk" not in writers_of(state.stream, line.TYPE):
        raise ReviewRefused(f"{line.TYPE} belongs to the table, which an entered round cannot change; leave it out")
    if any(isinstance(line, each) != isinstance(before, each) for each in ends):
        raise ReviewRefused(f"{line.TYPE} is no line in the middle of an entry, which has one first line and one end")


def _correction(entered: EnteredRound, seq: int, after: Event | None, person: str, reason: str) -> Event:
    replacement = after and Replacement(
        payload=msgspec.to_builtins(after), round_no=entered.round_no, type=after.TYPE, version=after.VERSION
    )
    return review_event(
        EventCorrected2,
        by=person,
        reason=reason,
        replacement=replacement,
        supersedes_event_id=entered.lines[seq].event_id,
        supersedes_seq=seq,
    )


def _changed(before: Event, changes: Mapping[str, Any]) -> Event:
    fields = set(before.__struct_fields__)
    unknown = [name for name in changes if name not in fields]
    if unknown or {"by"} & changes.keys() & ({"by"} if isinstance(before, model.RoundObserved) else set()):
        what = unknown[0] if unknown else "by"
        raise ReviewRefused(f"{before.TYPE} has no field {what!r} to correct; it has {', '.join(sorted(fields))}")
    try:
        return msgspec.convert(msgspec.to_builtins(before) | dict(changes), type(before), strict=True)
    except msgspec.ValidationError as error:
        raise ReviewRefused(f"{before.TYPE}: {error}; nothing was written") from error


# ----------------------------------------------------------------------------------------------------------------- writing

Written = tuple[Event, int | None, int | None, str | None]
"""An event to write: its round, when it happened (None: now), its id (None: one that no one can guess)."""


def _write(desk: Desk, state: ObservedTable, person: str, events: Sequence[Written]) -> int:
    """Append events, all or none, opening the gaming day of entry if needed; return the number of new ones."""
    now_us = desk.now_us()
    day = max(desk.today(), state.gaming_day)
    written = list(events)
    if day != state.gaming_day:
        written.insert(0, (model.GamingDayOpened(gaming_day=day), None, None, None))
    source = source_of(person)
    drafts = [
        Draft(
            event_id=event_id or secrets.token_hex(16),
            source=source,
            source_seq=seq,
            occurred_at_us=now_us if at_us is None else at_us,
            round_no=round_no,
            payload=event,
        )
        for seq, (event, round_no, at_us, event_id) in enumerate(written, state.seq + 1)
    ]
    desk.log.append(state.stream, state.seq + 1, drafts)
    return len(events)


def source_of(person: str) -> str:
    """Return the source name of a person's entries; the event has the whole id.

    >>> source_of("s.kane"), len(source_of("a" * 40))
    ('observer-s-kane', 32)
    """
    return f"observer-{''.join(each if each.isalnum() else '-' for each in person)}"[:32]
