"""Events to text: a recorded round as a transcript that reads back to the same events (`docs/transcript.md`).

An event that no statement expresses (of a meter, a correction) becomes a comment, so that nothing is left out silently.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, time, tzinfo
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.narrative.events import sentence
from replay.transcript.clock import UTC_CLOCK, Clock
from replay.transcript.statements import PLAIN, position_text
from replay.transcript.words import CURRENCY
from rulebook.chapters.money import show_money

Writer = Callable[[Any], str]

NEARLY_A_DAY_S = 23 * 3600
"""After this long a time of day alone would not say which day is meant."""


def _cards(cards: Sequence[str | None]) -> str:
    return " ".join(card if card is not None else "??" for card in cards)


def _meter(centicents: int) -> str:
    return f"{centicents // 10_000}.{centicents % 10_000:04d}"


def _option(key: str, value: object) -> str:
    return f" {key}={value}" if value is not None else ""


def _flag(word: str, is_set: bool) -> str:
    return f" {word}" if is_set else ""


def _wager(event: Any) -> str:
    number = "?" if event.number is None and event.wager == "match" else event.number
    return f"seat={event.seat} bettor={event.bettor}{_option('number', number)} {event.wager}"


def _hands(event: Any) -> str:
    medium = f" medium={_cards(event.medium)}" if event.medium else ""
    return f"{position_text(event.position)} high={_cards(event.high)}{medium} low={_cards(event.low)} by={event.by}"


def _rolled(event: model.DiceRolled) -> str:
    dice = " ".join(str(die) if die is not None else "?" for die in event.dice)
    colours = _option("colours", ",".join(event.colours) if event.colours else None)
    return f"dice {dice} {event.lie}{colours} not_announced"


def _failed(event: model.DeviceFailed) -> str:
    return f"device {event.device} {event.fault}"


def _dealt(event: model.CardsDealt) -> str:
    to = f"seat{event.to}" if isinstance(event.to, int) else event.to
    stated = event.face_up or event.to == "dealer"  # how the dealer's cards usually lie is the chapter's
    side = "" if not stated else (" face_up" if event.face_up else " face_down")
    return f"deal {to}={_cards(event.cards)}{side}"


def _exposed(event: model.CardExposed) -> str:
    return f"exposed {position_text(event.whose)} {event.card or '??'} by {event.by}"


BURNT = {"new_shoe": "shoe", "new_dealer": "dealer", "reshuffle": "reshuffle"}


def _armed(event: model.MysteryArmed) -> str:
    return (
        f"armed meter={_meter(event.reading_centicents)} minimum={show_money(event.minimum_cents)} "
        f"maximum={show_money(event.maximum_cents)} rate={_share(event.rate_bp)}%"
        f"{_option('commitment', event.commitment)} id={event.meter}"
    )


def _hit(event: model.MysteryHit) -> str:
    target = _meter(event.target_centicents) if event.target_centicents is not None else None
    return (
        f"mystery_hit seat={event.seat} meter={_meter(event.reading_centicents)}{_option('target', target)}"
        f"{_option('nonce', event.nonce)} after={_meter(event.after_centicents)} id={event.meter}"
    )


WRITERS: dict[type[Event], Writer] = {each.event.KIND: each.write for each in PLAIN} | {
    model.TableOpened: lambda e: f"equipment {e.deal_method} {e.shuffler} seats={e.seats}",
    model.DeckReceived: lambda e: (
        f"deck {e.deck} received jokers={e.jokers}{_flag('preshuffled', e.preshuffled)}"
        + (f" back={e.back_colour}" if " " not in e.back_colour and "#" not in e.back_colour else "")
    ),
    model.DeckInspected: lambda e: f"deck {e.deck} inspected by={e.by}{_option('verified', e.verified_by)}",
    model.JokerDestroyed: lambda e: f"deck {e.deck} joker_destroyed by={e.by}{_option('witnessed', e.witnessed_by)}",
    model.CardsSpread: lambda e: f"deck {e.deck} spread{_flag('face_down', not e.face_up)}{_option('by', e.inspected_by)}",
    model.CardsWashed: lambda e: f"deck {e.deck} washed",
    model.DeckInPlay: lambda e: f"deck {e.deck} in_play",
    model.DeckRemoved: lambda e: f"deck {e.deck} removed {e.reason}",
    model.DiceReceived: lambda e: f"dice_set {e.dice_set} received",
    model.DiceRemoved: lambda e: f"dice_set {e.dice_set} removed",
    model.DeviceFailed: _failed,
    model.DeviceAlarmed: lambda e: f"device {e.device} alarm {e.alarm}",
    model.ForeignCardFound: lambda e: (
        f"foreign {position_text(e.found)} {e.card or '??'} deck={e.deck}{_option('back', e.back_colour)}"
    ),
    model.DeviceCovered: lambda e: f"device {e.device} covered{_flag('sign', e.how == 'sign')}",
    model.DeviceRestored: lambda e: f"device {e.device} restored",
    model.PatronSeated: lambda e: f"seated seat={e.seat} {e.patron}",
    model.PatronLeft: lambda e: f"left seat={e.seat} {e.patron}",
    model.PatronBarred: lambda e: f"bar {e.patron}" + (f" {e.reason}" if re.fullmatch(r"[^\s#]+", e.reason) else ""),
    model.ShakerShaken: lambda e: (
        (f"shake {e.times}" if e.times is not None else f"shake {e.duration_ms or 0} ms") + _flag("uncovered", not e.covered)
    ),
    model.DiceRolled: _rolled,
    model.NumberDrawn: lambda e: f"number {e.number}",
    model.WagerPlaced: lambda e: f"wager {_wager(e)} {show_money(e.amount_cents)}{_flag(e.form, e.form != 'chips')}",
    model.WagerRemoved: lambda e: f"withdraw {_wager(e)} {show_money(e.amount_cents)}",
    model.WagerRefused: lambda e: f"refuse {_wager(e)} {show_money(e.amount_cents)}",
    model.ProgressiveLocked: lambda e: f"lock accepted={e.accepted} collected={e.collected}",
    model.ProgressiveAccepted: lambda e: (
        f"accepted seat={e.seat} {show_money(e.amount_cents)} "
        f"meter={_meter(e.reading_centicents)} id={e.meter} meter_seq={e.meter_seq}"
    ),
    model.CardsDealt: _dealt,
    model.StackMoved: lambda e: f"moved {position_text(e.at)} {position_text(e.to)}",
    model.CardExposed: _exposed,
    model.HandSet: lambda e: f"set {_hands(e)}",
    model.HandReset: lambda e: f"reset {_hands(e)} {e.reason}",
    model.WagerTaken: lambda e: f"take {_wager(e)} {show_money(e.amount_cents)} {e.reason}",
    model.WagerPaid: lambda e: f"pay {_wager(e)} {show_money(e.winnings_cents)} stake={show_money(e.stake_cents)} {e.source}",
    model.WagerReturned: lambda e: f"return {_wager(e)} {show_money(e.amount_cents)} {e.reason}",
    model.EnvyPaid: lambda e: f"envy seat={e.seat} for={e.for_position} {e.wager} {show_money(e.amount_cents)}",
    model.ProgressiveWon: lambda e: (
        f"won seat={e.seat} meter={_meter(e.reading_centicents)} share={_share(e.share_bp)}% "
        f"after={_meter(e.after_centicents)} id={e.meter} meter_seq={e.meter_seq}"
    ),
    model.PayoutValidated: lambda e: f"validate seat={e.seat} {e.wager} {e.role} by={e.by}",
    model.CardsCollected: lambda e: f"collect {position_text(e.of)} {e.count}{_option('counted', e.counted)} deck={e.deck}",
    model.RoundVoided: lambda e: f"void {position_text(e.scope)} {e.reason}",
    model.DiceAnnounced: lambda e: "announce_dice " + " ".join(str(die) for die in e.dice),
    model.MysteryArmed: _armed,
    model.MysteryHit: _hit,
    model.CardBurned: lambda e: f"burn {e.card or '??'} {BURNT[e.reason]}",
    model.CoverCardPlaced: lambda e: f"cover_card placed {e.depth} from_{e.counted_from}",
    model.CoverCardReached: lambda e: f"cover_card reached {position_text(e.at)}",
    model.PlayerDealerWagered: lambda e: f"player_dealer seat={e.seat} bettor={e.bettor} {show_money(e.amount_cents)}",
}


def _share(share_bp: int) -> str:
    return str(share_bp // 100) if share_bp % 100 == 0 else f"{share_bp / 100:g}"


def statement(event: Event) -> str | None:
    """Return the statement that represents an event, or None if the notation has none."""
    writer = WRITERS.get(event.KIND)
    return writer(event) if writer is not None else None


def to_text(
    events: Iterable[tuple[int, int, Event | None]],
    *,
    table: str,
    round_no: int,
    rules: Sequence[str] = (),
    notes: Mapping[int, str] = MappingProxyType({}),
    times: bool = True,
    currency: str = CURRENCY,
    zone: ZoneInfo | None = None,
    gaming_day: str | None = None,
    cutover: time = UTC_CLOCK.cutover,
    order_seen: bool = True,
) -> str:
    """Return a round's events `(seq, occurred_at_us, payload)` as a transcript; `rules` are lines put before it.

    `notes` are comments before events, by their numbers; of an event whose payload is None there is only its note.
    Amounts in comments are in `currency` (ISO 4217), times of day in `zone`, which a comment names; None: UTC. With a
    gaming day, whose `cutover` is the property's, the text reads back with the same times, to the second. `order_seen`: what
    the record claims of the order of what was done.
    """
    lines = [*rules, *([f"# times are {'UTC' if zone is None else zone.key}"] if times else []), f"table {table}"]
    lines += [f"day {gaming_day}"] if gaming_day is not None else []
    clock = Clock(zone or UTC, cutover)
    second: int | None = None
    for seq, at_us, event in events:
        if seq in notes:
            lines.append(f"# {notes[seq]}")
        if event is None:
            continue
        if isinstance(event, model.RoundOpened):
            lines.append(f"round {round_no} deck={event.deck}")
            if event.observed:
                lines.append("covers " + " ".join(event.observed))
            continue
        line = statement(event)
        if line is None:
            lines.append(f"# event {seq}: {sentence(event, currency)} (not part of the notation)")
            continue
        if isinstance(event, model.RoundClosed) and not order_seen:
            line += " unordered"
        here = at_us // 1_000_000
        if times and gaming_day is not None:
            before = None if second is None else datetime.fromtimestamp(second, UTC)
            lines.append(f"at {clock.written(datetime.fromtimestamp(here, UTC), gaming_day, before)}")
        elif times and here != second:
            lines.append(_at(here, second, zone or UTC))
        second = here
        lines.append(line)
    return "\n".join(lines) + "\n"


def _at(second: int, previous: int | None, zone: tzinfo) -> str:
    """Return the time of day; if it is ambiguous (a day later, or a clock change), the distance in time."""
    now = datetime.fromtimestamp(second, zone)
    if previous is not None and (
        second - previous >= NEARLY_A_DAY_S or datetime.fromtimestamp(previous, zone).utcoffset() != now.utcoffset()
    ):
        return f"at +{second - previous}s"
    return f"at {now:%H:%M:%S}"
