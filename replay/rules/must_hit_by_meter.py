"""A Must-Hit-By meter's own stream: every contribution, arming and hit adds up (58 Pa. Code § 645c.3(c), D21).

As in `meters.py`, a wrong reading is found once, and later readings are compared with the recorded one.
"""

from collections.abc import Iterable, Iterator

import msgspec

from events.vocabulary import model
from replay.findings import Finding
from replay.rules.rule import SEVERITY, Departure
from rulebook.chapters.chapters import chapter, known_chapters
from rulebook.chapters.paytables import Paytable
from rulebook.layout import Contribution, Cycle, MysteryWinner
from rulebook.settlement.mystery import is_committed, ruling, show_meter
from rulebook.settlement.progressive import contribution

MeterEvent = model.MeterAdvanced | model.MysteryArmed | model.MysteryHit | model.MeterSet


MAX_CENTS = 2**53 // 100
"""The maximum of a meter without one on record: more than any meter."""


class MysteryState(msgspec.Struct):
    """A Must-Hit-By meter as its own events state it: as armed, and the last contribution since the last hit, if any.

    `day` is the gaming day of the last event: by the edition of that day the configurations are known.
    """

    chapter: str
    minimum_cents: int = 0
    maximum_cents: int = 0
    rate_bp: int = 0
    value: int | None = None
    commitment: str | None = None
    armed_seq: int = 0
    table: str = ""
    seat: int = 0
    before: int = 0
    advanced_seq: int = 0
    day: str = ""


def state_in_service(event: model.MeterSet, day: str) -> MysteryState | None:
    """Return the state of a meter put into service under a Must-Hit-By configuration of a day; None for another meter."""
    if event.chapter not in known_chapters():
        return None
    paytable = chapter(*event.chapter.split("-", 1), day=day).paytables.get(("mystery", event.paytable))
    if paytable is None:
        return None
    return MysteryState(event.chapter, event.seed_cents, paytable.maximum_cents, event.rate_bp, value=event.value_centicents)


def evaluate(stream: str, state: MysteryState, seq: int, event: MeterEvent, day: str) -> list[Finding]:
    """Fold one event of the meter, of a gaming day; return what does not add up."""
    state.day = day
    departures: Iterable[Departure | None]
    match event:
        case model.MysteryArmed():
            state.minimum_cents, state.maximum_cents, state.rate_bp = (event.minimum_cents, event.maximum_cents, event.rate_bp)
            state.value, state.commitment, state.armed_seq = event.reading_centicents, event.commitment, seq
            departures = [_configuration(state) or _out_of_bounds(state, seq, "armed at")]
        case model.MeterSet():
            departures = [_out_of_bounds(state, seq, "put into service at")]
        case model.MeterAdvanced():
            departures = _advanced(state, seq, event)
        case _:
            departures = _hit(state, seq, event)
    return _findings(stream, state, event, departures)


def _configuration(state: MysteryState) -> Departure | None:
    """The minimum, maximum and rate are those of one of the configurations."""
    jurisdiction, _, name = state.chapter.partition("-")
    book = chapter(jurisdiction, name, day=state.day)
    known = [book.paytable("mystery", each) for of, each in book.paytables if of == "mystery"]
    armed = (state.minimum_cents, state.maximum_cents, state.rate_bp)
    if armed in [(each.seed_cents, each.maximum_cents, each.rate_bp) for each in known]:
        return None
    observed = f"{show_meter(armed[0] * 100)} to {show_meter(armed[1] * 100)}, {armed[2] / 100:g} %"
    return Departure("3(c)(4)", "one of the configurations", observed, (state.armed_seq,), code="MYST-CONTRIBUTION")


def _out_of_bounds(state: MysteryState, seq: int, how: str) -> Departure | None:
    """The meter lies between its minimum and its maximum (D730)."""
    low, high = state.minimum_cents * 100, state.maximum_cents * 100
    if not high or state.value is None or low <= state.value <= high:
        return None
    expected, observed = f"a meter from {show_meter(low)} to {show_meter(high)}", f"{how} {show_meter(state.value)}"
    return Departure("3(c)(4)", expected, observed, (seq,), code="MYST-CONTRIBUTION")


def _first_reading(state: MysteryState, seq: int, before: int) -> Departure | None:
    """The first reading on record follows from a meter between its minimum and its maximum (D730)."""
    limit = state.maximum_cents * 100
    if limit and before > limit:
        right, wrong = (f"a hit before it, for no target is above {show_meter(limit)}", f"meter {show_meter(before)} before it")
        return Departure("3(c)(3)", right, wrong, (seq,), code="MYST-TRIGGER")
    return _out_of_bounds(msgspec.structs.replace(state, value=before), seq, "before the wager, meter")


def _advanced(state: MysteryState, seq: int, event: model.MeterAdvanced) -> Iterator[Departure | None]:
    if state.value is not None:
        limit = state.maximum_cents * 100
        if state.advanced_seq and state.value > limit >= state.before:
            yield Departure(
                "3(c)(3)",
                f"a hit, for no target is above {show_meter(limit)}",
                f"the meter went on at {show_meter(state.value)}",
                (state.advanced_seq, seq),
                code="MYST-TRIGGER",
            )
        right = state.value + contribution(event.wager_cents, state.rate_bp)
        if right != event.value_centicents:
            expected, observed = f"meter {show_meter(right)}", f"meter {show_meter(event.value_centicents)}"
            yield Departure("3(c)(2)", expected, observed, (seq,), code="MYST-CONTRIBUTION")
    gained = contribution(event.wager_cents, state.rate_bp)
    if state.value is None:
        yield _first_reading(state, seq, event.value_centicents - gained)
    state.before = state.value if state.value is not None else event.value_centicents - gained
    state.value, state.table, state.seat, state.advanced_seq = event.value_centicents, event.table, event.seat, seq


def _hit(state: MysteryState, seq: int, event: model.MysteryHit) -> Iterator[Departure]:
    evidence = tuple(each for each in (state.advanced_seq, seq) if each)
    target = event.target_centicents
    is_provable = state.commitment is not None and target is not None and event.nonce is not None
    if is_provable and not is_committed(state.commitment or "", target or 0, event.nonce or ""):
        yield Departure(
            "3(c)(3)",
            f"a target with the SHA-256 {state.commitment}",
            f"{show_meter(target or 0)} with nonce {event.nonce}",
            (state.armed_seq, seq),
            code="MYST-COMMITMENT",
        )
        target = None
    if state.advanced_seq and event.table != state.table:
        expected = f"a hit of table {state.table}, whose wager was just accepted"
        yield Departure("3(c)(3)", expected, f"a hit of table {event.table}", evidence, code="MYST-TRIGGER")
    else:
        is_advanced = state.advanced_seq > 0 and state.value is not None
        last = (Contribution(state.seat, state.before, state.value or 0),) if is_advanced else ()
        result = ruling(Cycle(last, MysteryWinner(event.seat, event.reading_centicents, target)), _limits(state))
        if result.at is not None:
            yield Departure("3(c)(3)", result.right, result.wrong, evidence, code="MYST-TRIGGER")
        elif is_advanced and event.reading_centicents != state.value:
            observed = f"a hit at meter {show_meter(event.reading_centicents)}"
            yield Departure("3(c)(7)", f"a hit at meter {show_meter(state.value or 0)}", observed, evidence, code="MYST-AMOUNT")
    low = state.minimum_cents * 100
    if state.armed_seq and event.after_centicents != low:
        observed = f"meter {show_meter(event.after_centicents)}"
        yield Departure("3(c)(5)(iv)", f"meter {show_meter(low)}", observed, (seq,), code="MYST-RESET")
    state.value, state.commitment, state.seat, state.advanced_seq = event.after_centicents, None, 0, 0


def _limits(state: MysteryState) -> Paytable:
    """The configuration as armed, in the shape of a paytable; of a meter that was never armed, without bounds."""
    jurisdiction, _, name = state.chapter.partition("-")
    any_ = chapter(jurisdiction, name).paytable("mystery", "A-1")
    maximum = state.maximum_cents or MAX_CENTS
    return msgspec.structs.replace(any_, seed_cents=state.minimum_cents, maximum_cents=maximum, rate_bp=state.rate_bp)


def _findings(stream: str, state: MysteryState, event: MeterEvent, departures: Iterable[Departure | None]) -> list[Finding]:
    jurisdiction, _, name = state.chapter.partition("-")
    round_no, seat, findings = getattr(event, "round_no", None), getattr(event, "seat", None), list[Finding]()
    for departure in filter(None, departures):
        code, cite = departure.code, str(chapter(jurisdiction, name).cite(f"{name}.{departure.section}"))
        at_seat = msgspec.structs.replace(departure, seat=seat, wager="mystery")
        findings.append(at_seat.finding(code, stream, round_no, cite, SEVERITY[code]))
    return findings
