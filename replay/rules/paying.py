"""How the settlement is conducted: order, reveal, announcements, Envy calls, the meter and its paperwork.

58 Pa. Code §§ 688a.11(e), (h), 688a.12(d).
"""

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from events.vocabulary import model
from replay.fold.all_wagers_returned import is_collected_before
from replay.fold.recorded_event import RecordedEvent, distinct_by, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in, key_of
from replay.rules.rule import EVERY_CHAPTER, Departure, Early, Indeterminate, rule
from replay.settlement.hand_readings import readings
from replay.settlement.meter_share import fixed_winnings
from replay.settlement.payouts import flows, moves
from replay.settlement.settlement import dues, settlements
from replay.settlement.stakes import ENVY, progressive_accepted, stakes
from replay.settlement.surrenders import standing_surrenders
from replay.settlement.table_layout import abandoned_wagers, meter_at_settlement, progressive_wins, side_card, voided_seats
from replay.settlement.voids import is_void
from rulebook.catalogue import GAMES
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.settlement.bonus import qualifying_cents
from rulebook.settlement.progressive import after_winner, contribution
from rulebook.settlement.wagers import Due, Outcome

ABOVE_FLOORPERSON = frozenset({"floorperson", "pit_manager", "shift_manager"})

ANNOUNCED = {
    Outcome.WIN: "win",
    Outcome.TIE: "tie",
    Outcome.ACE_HIGH_PUSH: "tie",
    Outcome.TIGER_9_PUSH: "tie",
    Outcome.LOSE: "lose",
    Outcome.FOUL: "lose",
}


@rule("PAY-ANNOUNCED", on=("11(e)",))
def announced_result(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The dealer announces whether the wager wins, loses or is a tie, and the announcement is right.

    If a box has several of a wager (Match on two numbers), the word may be of any of them.
    """
    words: dict[tuple[int, str], set[str]] = defaultdict(set)
    for due in dues(round_, book):
        if due.for_position is None:
            words[due.seat, due.wager].add(ANNOUNCED.get(due.outcome, ""))
    for fact in round_.of(model.ResultAnnounced):
        event = fact.payload
        right = words.get((event.seat, event.wager), {""})
        if "" not in right and event.result not in right:
            yield Departure(
                "11(e)",
                expected=" or ".join(sorted(right)),
                observed=f"announced: {event.result}",
                evidence=(fact,),
                seat=event.seat,
                wager=event.wager,
            )


@rule("PAY-MISSED", "PAY-OVER", on=EVERY_CHAPTER)
def paid_to_who_wagered(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """A payment goes to the patron who placed the wager; if the record names another, it cannot be told whose wager it is (D319).

    A Must-Hit-By bonus belongs to the patron who placed the progressive wager there (§ 645c.3(c)(3)).
    """
    placed = stakes(round_, book)
    for type_ in (model.WagerPaid, model.WagerReturned):
        for fact in round_.of(type_):
            event = fact.payload
            stake = placed.get((event.seat, "progressive", None, "") if event.wager == "mystery" else key_in(event))
            if stake is None or event.bettor == stake.bettor:
                continue
            if event.bettor not in {each.payload.bettor for each in stake.facts}:
                yield Indeterminate(
                    f"seat {event.seat} {event.wager}: one patron wagered, and another was paid: whose it is cannot be told"
                )


@rule("PAY-REVEAL", on=("11(e)",))
def reveal_order(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Hands are revealed from the player farthest to the dealer's right, counterclockwise: seat 6 to seat 1."""
    revealed = [f for f in distinct_by(round_.of(model.HandRevealed), "position") if f.payload.position != "dealer"]
    for before, after in itertools.pairwise(revealed):
        if after.payload.position > before.payload.position:
            if not round_.certainly_before(before, after):
                yield Indeterminate("the clocks contradict the order in which hands were revealed")
                return
            yield Departure(
                "11(e)",
                expected=f"seat {after.payload.position} revealed before seat {before.payload.position}",
                observed="revealed after it",
                evidence=(before, after),
                seat=after.payload.position,
            )
            return


@rule("PAY-ENVYCALL", on=("11(h)(2)(i)(B)",))
def envy_call(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """An Envy Bonus qualifying hand is acknowledged aloud while another player has a qualifying wager."""
    if not round_.covers("envy") or round_.closed is None or is_void(round_, book):
        return
    acknowledged = {fact.payload.seat for fact in round_.of(model.EnvyAcknowledged)}
    voided = voided_seats(round_, book)
    placed = [stake for stake in stakes(round_, book).values() if stake.seat not in voided]
    for wager in ENVY:
        offer = book.offers.get(wager)
        if offer is None or offer.paytable is None:
            continue
        least = qualifying_cents(book, wager)
        holders = [stake for stake in placed if stake.wager == wager and stake.in_time_cents >= least]
        for base in [stake for stake in placed if holders and stake.wager == book.chapter.base]:
            if base.seat in acknowledged or all(stake.bettor == base.bettor for stake in holders):
                continue
            if _makes_envy(round_, book, offer.paytable, base.seat):
                acknowledged.add(base.seat)
                yield Departure(
                    "11(h)(2)(i)(B)",
                    expected=f"the qualifying hand of seat {base.seat} acknowledged",
                    observed="not acknowledged",
                    evidence=[fact for fact in round_.of(model.CardsDealt) if fact.payload.to == base.seat],
                    seat=base.seat,
                )


def _makes_envy(round_: Round, book: Rulebook, paytable: Paytable, seat: int) -> bool:
    """Return whether a seat certainly holds a hand that an Envy Bonus is paid for."""
    held = readings(round_, book, seat)
    cards = held[0].cards if len(held) == 1 else None
    return cards is not None and bool(paytable.envy(GAMES[book.game].lines(paytable, cards, side_card(round_))))


def _progressive_winners(round_: Round, book: Rulebook, wager: str = "progressive") -> Iterator[tuple[Due, list[RecordedEvent]]]:
    """Progressive wagers that win, with the facts that paid them, inventory first."""
    done = flows(round_)
    for due in dues(round_, book):
        if due.wager == wager and (due.outcome is Outcome.WIN or due.share_bp):
            flow = done.get(key_of(due.seat, wager, None, due.bettor))
            paid = [fact for fact in flow.facts if isinstance(fact.payload, model.WagerPaid)] if flow else []
            yield due, in_order(paid)


@rule(
    "PAY-LIGHT",
    "PAY-VALIDATED",
    on=("11(h)(3)(i)(B)(2)", "11(h)(3)(i)(B)(3)"),
    early=Early("what must come before a payment is missing when it is made"),
)
def verified_before_paid(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Before a progressive winner is paid, the light is verified and a floorperson or above validates the payout."""
    yield from verified(round_, book, "progressive", "11(h)(3)(i)(B)(2)", "11(h)(3)(i)(B)(3)")


def verified(round_: Round, book: Rulebook, wager: str, light: str, validation: str) -> Iterator[Departure]:
    """Yield what is missing before the payment of winners of a wager: by these sections the light and the validation."""
    if not round_.covers("progressive"):
        return
    for due, paid in _progressive_winners(round_, book, wager):
        if not paid:
            continue
        lit = [f for f in round_.of(model.LightSeen) if f.payload.seat == due.seat and f.seq < paid[0].seq]
        of_it = [
            fact for fact in round_.of(model.PayoutValidated) if (fact.payload.seat, fact.payload.wager) == (due.seat, wager)
        ]
        validated = [fact for fact in of_it if fact.seq < paid[0].seq]
        if not lit:
            yield Departure(
                light,
                code="PAY-LIGHT",
                expected="the light verified before the payout",
                observed="not seen",
                evidence=paid,
                seat=due.seat,
                wager=wager,
            )
        if not any(fact.payload.role in ABOVE_FLOORPERSON for fact in validated):
            yield Departure(
                validation,
                code="PAY-VALIDATED",
                expected="the payout validated by a floorperson or above before it",
                observed=_how_validated(validated, of_it),
                evidence=(*validated, *paid),
                seat=due.seat,
                wager=wager,
            )


def _how_validated(before: Sequence[RecordedEvent], at_all: Sequence[RecordedEvent]) -> str:
    """Say by whom a payout was validated before it was made, or that it was validated afterward, or not at all."""
    if before:
        return f"validated by a {before[-1].payload.role}"
    return "validated after it was paid" if at_all else "not validated"


@rule("PAY-DOCUMENTED", on=("11(h)(3)(i)(B)(4)",))
def documented(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The cards of a winner who is not paid from the inventory stay on the table until the documentation is complete."""
    if not round_.covers("progressive"):
        return
    for due, paid in _progressive_winners(round_, book):
        slips = [fact for fact in paid if fact.payload.source == "slip"]
        if not slips:
            continue
        document = next(
            (f for f in round_.of(model.PayoutDocumented) if f.payload.seat == due.seat and f.payload.wager == "progressive"),
            None,
        )
        collected = next((f for f in round_.of(model.CardsCollected) if f.payload.of in (due.seat, "all")), None)
        gone = collected or round_.closed
        if gone is not None and (document is None or document.seq > gone.seq):
            yield Departure(
                "11(h)(3)(i)(B)(4)",
                expected="the documentation complete before the cards are collected",
                observed="documented after the cards were collected" if document else "not documented",
                evidence=(*slips, gone, *((document,) if document else ())),
                seat=due.seat,
                wager="progressive",
            )


@rule("PAY-METER", on=("12(d)",))
def meter_readings(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The controller's readings follow from the accepted wagers and from the winners in the order of settlement (D18)."""
    offer = book.offers.get("progressive")
    paytable = offer.paytable if offer is not None else None
    if paytable is None or round_.lost or is_void(round_, book):
        return
    if not book.linked_meter:
        yield from _advances(round_, book, paytable)
    won = progressive_wins(round_, book)
    if won:
        if book.linked_meter and book.has("11(e)"):
            yield from _linked_meter_out_of_turn(won)
        yield from _shares_of_the_meter(round_, book, paytable, won)


def _linked_meter_out_of_turn(won: Sequence[RecordedEvent]) -> Iterator[Departure]:
    """A linked meter serves the winners in the order of settlement too (§ 688a.11(e))."""
    for before, after in itertools.pairwise(won):
        if after.payload.seat > before.payload.seat:
            yield Departure(
                "12(d)",
                expected=f"seat {after.payload.seat} served from the meter before seat {before.payload.seat}",
                observed="served after it",
                evidence=(before, after),
                seat=after.payload.seat,
                wager="progressive",
            )


def _shares_of_the_meter(round_: Round, book: Rulebook, paytable: Paytable, won: Sequence[RecordedEvent]) -> Iterator[Departure]:
    """Each winner's share is of the meter as the winner before left it; of a linked meter, as it read at that winner's turn."""
    mispaid = _mispaid_progressive(round_, book)
    meter = meter_at_settlement(round_, book).reading
    for due in (due for due in dues(round_, book) if due.wager == "progressive"):
        if due.net_cents is None and not due.share_bp:
            meter = None  # it may have taken a share: what the next winners find is not known
            continue
        record = next((fact for fact in won if fact.payload.seat == due.seat), None)
        reading = record.payload.reading_centicents if book.linked_meter and record is not None else meter
        if reading is None:
            continue
        after_it = after_winner(reading, due.share_bp, paytable.seed_cents)
        meter = None if book.linked_meter else after_it
        if record is None or due.seat in mispaid:
            continue
        event = record.payload
        expected = (reading, due.share_bp, after_it)
        if (event.reading_centicents, event.share_bp, event.after_centicents) != expected:
            yield Departure(
                "12(d)",
                expected=_share(*expected),
                observed=_share(event.reading_centicents, event.share_bp, event.after_centicents),
                evidence=(record,),
                seat=due.seat,
                wager="progressive",
            )


def _mispaid_progressive(round_: Round, book: Rulebook) -> set[int]:
    """The seats whose progressive wager was certainly settled for another amount than was due."""
    return {
        line.seat
        for line in settlements(round_, book)
        if line.wager == "progressive" and line.due_cents is not None and line.done_cents not in (None, line.due_cents)
    }


def _share(reading: int, share_bp: int, after: int) -> str:
    return f"meter {_meter(reading)}, share {share_bp // 100} %, after it {_meter(after)}"


def meter_before(round_: Round, book: Rulebook, meter: str) -> int | None:
    """Return the meter's reading before a round, in hundredths of a cent; None if it is not known.

    If a void takes contributions back, it is what the void round found, unless a share was paid out since (D357).
    """
    before = round_.before.readings.get(meter)
    if not book.settings.get("void_reverses_meter", False) or meter not in round_.before.readings_before_void:
        return before
    earlier = round_.before.readings_before_void[meter]
    paid_out = before is None or earlier is None or before < earlier
    return None if paid_out else earlier


def _advances(round_: Round, book: Rulebook, paytable: Paytable) -> Iterator[Departure]:
    """Each wager adds its contribution to the meter's last reading, unless an unrecorded share may have left the meter."""
    accepted = progressive_accepted(round_, book)
    meter = book.meter or (accepted[0].payload.meter if accepted else "")
    before = meter_before(round_, book, meter)
    unrecorded = round_.before.unrecorded.get(meter, ())
    if any(paid.winnings_cents not in fixed_winnings(paytable, paid.stake_cents) for paid in unrecorded):
        before = None  # the payment of a fixed line cannot be a share (D352)
    for fact in accepted:
        event = fact.payload
        if before is not None and event.meter == meter:
            right = before + contribution(event.amount_cents, paytable.rate_bp)
            if event.reading_centicents != right:
                yield Departure(
                    "12(d)",
                    expected=f"meter {_meter(right)} after the wager",
                    observed=f"meter {_meter(event.reading_centicents)}",
                    evidence=(fact,),
                    seat=event.seat,
                    wager="progressive",
                )
        before = event.reading_centicents


def _meter(centicents: int) -> str:
    return f"{show_money(centicents // 100)}{centicents % 100:02d}" if centicents % 100 else show_money(centicents // 100)


@rule("PAY-ORDER", on=("11(e)", "11(h)"))
def settlement_order(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Base wagers in the order of the reveal, a box's base wager first, Envy Bonuses after all Fortune wagers.

    Slips may come later (D28); a surrendered box or an abandoned wager is settled at once; progressive wagers were collected.
    Money that was not moved for a wager placed in time has no place in the order.
    """
    if not round_.covers("settlement") or is_void(round_, book):
        return
    moves_in_turn = _in_turn(round_, book)
    yield from _base_wagers_out_of_order(round_, book, moves_in_turn)
    yield from _wagers_of_a_box_out_of_order(round_, book, moves_in_turn)
    yield from _envy_before_fortune(round_, moves_in_turn)


def _base_wagers_out_of_order(
    round_: Round, book: Rulebook, moves_in_turn: Mapping[Key, RecordedEvent]
) -> Iterator[Departure | Indeterminate]:
    """Base wagers are settled in the order of the reveal: the higher seat first (§ 688a.11(e))."""
    base: dict[int, RecordedEvent] = {}
    for (seat, wager, *_), fact in moves_in_turn.items():
        if wager == book.chapter.base:
            base.setdefault(seat, fact)
    for before, after in itertools.pairwise(base.values()):
        if after.payload.seat > before.payload.seat:
            if not round_.certainly_before(before, after):
                yield Indeterminate(f"the clocks contradict the order in which seats {_both(before, after)} were settled")
                continue
            yield Departure(
                "11(e)",
                expected=f"seat {after.payload.seat} settled before seat {before.payload.seat}",
                observed="settled after it",
                evidence=(before, after),
                seat=after.payload.seat,
            )
            return


def _wagers_of_a_box_out_of_order(
    round_: Round, book: Rulebook, moves_in_turn: Mapping[Key, RecordedEvent]
) -> Iterator[Departure | Indeterminate]:
    """At each box the base wager is settled first, then the other wagers in the order of the chapter (§ 688a.11(h))."""
    commission_free = book.has("645c.1(f)") and book.settings.get("commission_free")
    in_order = "645c.1(f)" if commission_free else "11(h)"  # the former names what is settled before the optional wagers
    began: dict[tuple[int, str], RecordedEvent] = {}
    for (seat, wager, *_), fact in moves_in_turn.items():
        began.setdefault((seat, wager), fact)
    for (_, wager, *_), fact in moves_in_turn.items():
        first = _settled_later(book, fact, began) if wager != book.chapter.base else None
        if first is None:
            continue
        if not round_.certainly_before(fact, first):
            yield Indeterminate(f"seat {fact.payload.seat}: the clocks contradict the order of its settlement")
            continue
        own = first.payload.wager != book.chapter.base
        rule_ = book.chapter.wagers.get(fact.payload.wager)
        section: str | None = rule_.follows_cite if own and rule_ is not None else None
        yield Departure(
            section or in_order,
            expected=f"the {first.payload.wager} wager settled before {fact.payload.wager if own else 'optional wagers'}",
            observed=f"{fact.payload.wager} first",
            evidence=(fact, first),
            seat=fact.payload.seat,
        )


def _envy_before_fortune(round_: Round, moves_in_turn: dict[Key, RecordedEvent]) -> Iterator[Departure | Indeterminate]:
    """Envy Bonuses are paid after all Fortune Bonus wagers are settled (§ 688a.11(h)(2)(ii))."""
    last = next((fact for key, fact in reversed(moves_in_turn.items()) if key[1] == "fortune_bonus"), None)
    early = next((fact for fact in round_.of(model.EnvyPaid) if last is not None and fact.seq < last.seq), None)
    if early is None or last is None:
        return
    if not round_.certainly_before(early, last):
        yield Indeterminate("the clocks contradict the order of Envy Bonuses and Fortune wagers")
        return
    yield Departure(
        "11(h)(2)(ii)",
        expected="Envy Bonuses after all Fortune Bonus wagers",
        observed="an Envy Bonus paid before",
        evidence=(early, last),
        seat=early.payload.seat,
    )


def _in_turn(round_: Round, book: Rulebook) -> dict[Key, RecordedEvent]:
    """Return the first move of each wager that is settled in its turn, in the order of the log."""
    gone = {fact.payload.seat for fact in standing_surrenders(round_, book)} | voided_seats(round_, book)
    abandoned, placed = abandoned_wagers(round_), stakes(round_, book)
    in_time = {key for key, stake in placed.items() if stake.in_time_cents or stake.doubt}
    first: dict[Key, RecordedEvent] = {}
    for fact in moves(round_):
        event = fact.payload
        key, seat = key_in(event), event.seat
        if key in first or (placed and key not in in_time) or seat in gone or event.wager in abandoned.get(seat, ()):
            continue
        later = event.source == "slip" if isinstance(event, model.WagerPaid) else event.reason == "late"
        if not later and not (event.wager == "progressive" and is_collected_before(round_, fact)):
            first[key] = fact
    return first


def _settled_later(book: Rulebook, fact: RecordedEvent, began: dict[tuple[int, str], RecordedEvent]) -> RecordedEvent | None:
    """The first move of a wager of the box that must be settled before this one and was settled after it; or None."""
    rule_ = book.chapter.wagers.get(fact.payload.wager)
    for wager in rule_.follows if rule_ is not None else (book.chapter.base,):
        first = began.get((fact.payload.seat, wager))
        if first is not None and fact.seq < first.seq:
            return first
    return None


def _both(before: RecordedEvent, after: RecordedEvent) -> str:
    return f"{before.payload.seat} and {after.payload.seat}"
