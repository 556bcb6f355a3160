"""The money: every wager's due, its payment, and each difference (58 Pa. Code §§ 688a.11(d)-(h), 688a.12, 688a.13).

The dues come from the game's module under every reading that the record leaves open; if all readings agree, the result counts,
otherwise it is unknown (D26). One wager gives at most one money finding, the most specific.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from math import prod

import msgspec

from events.vocabulary import model
from replay.findings import Settlement
from replay.fold.derived import derived_by_rules
from replay.fold.device_order import by_the_clocks
from replay.fold.lost_state import rules_unknown
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.settlement.agreement import MOST_SETTLED, Groups, agreed, due_in_all, grouped
from replay.settlement.hand_readings import MAX_READINGS, dealer_readings, readings
from replay.settlement.meter_share import from_meter_cents
from replay.settlement.omitted_evidence import accepted_without_wager, envy_for_left_out, no_wagers_on_record
from replay.settlement.payouts import WagerFlow, flows, net_done
from replay.settlement.round_readings import round_readings
from replay.settlement.stakes import ENVY, ENVY_OF, ENVY_SECTION, Stake, section_without_due, stakes
from replay.settlement.table_layout import OTHERS, layout_of, meter_at_settlement, side_card
from replay.settlement.vigorish import in_cents, is_known_to, vigorish_taken
from replay.settlement.void_ground import VoidGround
from replay.settlement.voids import covers_ground, is_void, void_grounds
from replay.settlement.withdrawals import as_withdrawn
from rulebook.cards.cards import JOKER
from rulebook.catalogue import GAMES
from rulebook.chapters.citation import Citation
from rulebook.chapters.rulebook import Rulebook
from rulebook.layout import NO_HAND, Hand, TableLayout
from rulebook.settlement.possible import possible_cents
from rulebook.settlement.wagers import Due, Outcome, offered

NO_DUE = "no_due"
"""The line of a wager for which the game returns no due."""


@derived_by_rules
def dues(round_: Round, book: Rulebook) -> list[Due]:
    """Return the due of every wager of the round: the amounts that all readings agree on (D500).

    If the clocks give the events another order than the log, each order has its readings. If evidence of the round was lost, it
    could have shown anything: then no due is certain (D657).
    """
    readings = readings_in_any_order(round_, book)
    if len(readings) == 1:
        found = _dues_of_reading(readings[0], book)
    else:
        found = agreed(dues_of_reading(reading, book) for reading in readings)
    return [due.as_unknown() for due in found] if round_.lost or rules_unknown(round_, book) else found


@derived_by_rules
def readings_in_any_order(round_: Round, book: Rulebook) -> tuple[Round, ...]:
    """Return every reading of a round in the order of the log, and in that of the clocks if it differs (D403)."""
    by_clock = by_the_clocks(round_) if not round_.answers else None
    in_order = [round_] if by_clock is None else [round_, as_withdrawn(by_clock, book)]
    return tuple(reading for each in in_order for reading in round_readings(each, book))


def ways_left_open(round_: Round, book: Rulebook) -> int:
    """Return the number of readings of the record: readings of the round times readings of its hands."""
    seats = {stake.seat for stake in stakes(round_, book).values()}
    hands = prod(len(readings(round_, book, seat)) for seat in seats) * len(dealer_readings(round_, book))
    return hands * len(readings_in_any_order(round_, book))


@derived_by_rules
def dues_of_reading(reading: Round, book: Rulebook) -> list[Due]:
    """Return the due of every wager in one reading of a round, under all readings of the cards."""
    return _dues_of_reading(reading, book)


def _dues_of_reading(reading: Round, book: Rulebook) -> list[Due]:
    staked = [stake for stake in stakes(reading, book).values() if stake.in_time_cents > 0]
    if is_void(reading, book):
        return _bounded(reading, book, _dues_if_void(reading, book, staked))
    return _bounded(reading, book, [*_dues_if_played(reading, book, staked), *envy_for_left_out(reading, book)])


def _bounded(reading: Round, book: Rulebook, found: Sequence[Due]) -> list[Due]:
    """Give each unknown due its least and greatest possible value, unless a reading of the cards does."""
    return [
        due
        if due.net_cents is not None or due.range_cents is not None
        else msgspec.structs.replace(due, range_cents=possible_cents(book, due, meter_at_settlement(reading, book).reading))
        for due in found
    ]


def _dues_if_void(round_: Round, book: Rulebook, staked: Sequence[Stake]) -> list[Due]:
    """Return the dues of a void round: wagers returned, except those that a void leaves to be settled (D23, D328)."""
    grounds = void_grounds(round_, book)
    unproved = _is_declared_without_proof(round_, grounds)
    standing, standing_if_settled = _left_standing(round_, book, {ground.reason for ground in grounds}, unproved)
    settled = _settled_before_void(round_, grounds) if standing or standing_if_settled else frozenset()

    def is_standing(wager: str, key: Key) -> bool:
        return wager in standing or (wager in standing_if_settled and key in settled)

    played = _dues_if_played(round_, book, staked) if standing or standing_if_settled else []
    voided = [due for due in played if is_standing(ENVY_OF.get(due.wager, due.wager), key_in(due))]
    named = [ground for ground in grounds if round_.voided is not None and ground.reason == round_.voided.payload.reason]
    cite = book.cite((*named, *grounds)[0].section if grounds and not unproved else "13")
    for stake in staked:
        if not is_standing(stake.wager, key_in(stake)):
            is_open = round_.lost and stake.wager in standing_if_settled
            voided.append(_return_stake(stake, cite, Outcome.UNKNOWN if is_open else Outcome.VOID))
    return voided


def _is_declared_without_proof(round_: Round, grounds: Sequence[VoidGround]) -> bool:
    """Return whether the round was declared void for a reason that the record neither shows nor would show (D116)."""
    if round_.voided is None:
        return False
    declared = round_.voided.payload.reason
    return declared not in {ground.reason for ground in grounds} and not covers_ground(round_, declared)


def _left_standing(round_: Round, book: Rulebook, reasons: set[str], unproved: bool) -> tuple[frozenset[str], frozenset[str]]:
    """Return the wagers that a void leaves to be settled.

    It also returns those that stay settled if they were settled before it (`stands`).

    If a void has two reasons, the declared one counts; if the record does not show it, all recorded reasons count.
    """
    declared = round_.voided.payload.reason if round_.voided is not None else None
    by_record = reasons if reasons and declared not in reasons and not unproved else None
    stands = {wager: rule_.stands for wager, rule_ in book.chapter.wagers.items() if rule_.stands}
    standing = frozenset(
        wager
        for wager, named in stands.items()
        if "*" in named or declared in named or (by_record is not None and by_record.issubset(named))
    )
    return standing, frozenset(wager for wager, named in stands.items() if "settled" in named)


def _return_stake(stake: Stake, cite: Citation, outcome: Outcome) -> Due:
    """Return a due that returns the stake, or is unknown."""
    return Due(
        seat=stake.seat,
        wager=stake.wager,
        number=stake.number,
        bettor=stake.bettor,
        staked_cents=stake.in_time_cents,
        net_cents=0 if outcome is Outcome.VOID else None,
        returned_cents=stake.in_time_cents,
        outcome=outcome,
        cite=cite,
    )


def _settled_before_void(round_: Round, grounds: Sequence[VoidGround]) -> frozenset[Key]:
    """Return the wagers taken, paid or returned before the round was declared void, or had to be."""
    voided = round_.voided
    dealt = round_.first_card or round_.facts[-1]
    moment = voided.seq if voided is not None else min((max(ground.evidence) for ground in grounds), default=dealt.seq)
    return frozenset(
        key
        for key, flow in flows(round_).items()
        if any(fact.seq < moment and getattr(fact.payload, "reason", "") not in ("void", "late") for fact in flow.facts)
    )


def _dues_if_played(round_: Round, book: Rulebook, staked: Sequence[Stake]) -> list[Due]:
    """Return the dues of a round played to its end; that of a wager is unknown if the game returns none for it."""
    found = _dues_by_game(round_, book, staked) or []
    named = {key_in(due) for due in found}
    without = [stake for stake in staked if key_in(stake) not in named]
    unknown = [_return_stake(stake, section_without_due(book, stake.wager, None), Outcome.UNKNOWN) for stake in without]
    return [*found, *(msgspec.structs.replace(due, line=NO_DUE) for due in unknown)]


def _dues_by_game(round_: Round, book: Rulebook, staked: Sequence[Stake]) -> list[Due]:
    """Return the dues that the game returns for a round played to its end, under all readings."""
    seats = sorted({stake.seat for stake in staked})
    dealers = dealer_readings(round_, book)
    held = {seat: readings(round_, book, seat) for seat in seats}
    worth = GAMES[book.game].worth
    if worth is not None:
        by_worth = {seat: list({worth(hand.cards): hand for hand in hands}.values()) for seat, hands in held.items()}
        return [due for seat in seats for due in _settle_box(round_, book, staked, seat, by_worth[seat])]
    if len(dealers) == 1 and all(len(hands) == 1 for hands in held.values()):
        return _settle(round_, book, staked, dealers[0], {seat: hands[0] for seat, hands in held.items()})
    layout = layout_of(round_, book, staked, dealers[0], {seat: hands[0] for seat, hands in held.items()})
    dealer_groups, groups, most = _alike_together(round_, book, staked, dealers, held)
    return due_in_all(
        dealer_groups,
        groups,
        lambda dealer, hands: GAMES[book.game].settle(book, _with_hands(layout, dealer, hands)),
        single_deck=book.chapter.numbers.get("copies", 1) == 1,
        most=max(most // round_.share, 1),
    )


def _with_hands(layout: TableLayout, dealer: Hand, held: Mapping[int, Hand]) -> TableLayout:
    """Return the same table with other hands; nothing else on it depends on the reading of cards."""
    boxes = [msgspec.structs.replace(box, hand=held[box.seat]) for box in layout.boxes]
    return msgspec.structs.replace(layout, dealer=dealer, boxes=boxes)


def _alike_together(
    round_: Round, book: Rulebook, staked: Sequence[Stake], dealers: Sequence[Hand], held: Mapping[int, Sequence[Hand]]
) -> tuple[Groups, Mapping[int, Groups], int]:
    """Return the readings of each hand, grouped if the game settles them alike, and the largest number to settle.

    An unrecorded side card may be any card in no hand: with a joker that it may replace, all cards of the hands matter.
    """
    alike, side = GAMES[book.game].alike, side_card(round_)
    with_progressive = any(stake.wager == "progressive" for stake in staked)
    joker_seats = [seat for seat, hands in held.items() if any(JOKER in (hand.cards or ()) for hand in hands)]
    open_seats = [seat for seat, hands in held.items() if len(hands) > 1]
    needs_side = with_progressive and side is None and bool(joker_seats)
    if alike is None or (needs_side and (len(dealers) > 1 or len(open_seats) > 1 or joker_seats != open_seats)):
        return (grouped(dealers), {seat: grouped(hands) for seat, hands in held.items()}, MAX_READINGS // max(len(held), 1))

    def sees(hand: Hand) -> Hashable:
        return hand.cards and alike(book, hand.cards, side, with_progressive)

    def sees_of_dealer(hand: Hand) -> Hashable:
        return hand.cards and alike(book, hand.cards, None, False)

    return grouped(dealers, sees_of_dealer), {seat: grouped(hands, sees) for seat, hands in held.items()}, MOST_SETTLED


def _settle(round_: Round, book: Rulebook, staked: Sequence[Stake], dealer: Hand, held: dict[int, Hand]) -> list[Due]:
    layout = layout_of(round_, book, staked, dealer, held)
    return GAMES[book.game].settle(book, layout)


def _settle_box(round_: Round, book: Rulebook, staked: Sequence[Stake], seat: int, held: Sequence[Hand]) -> list[Due]:
    """Return the dues of one box under each reading of its cards, if no other hand matters."""
    here = [stake for stake in staked if stake.seat == seat]
    return agreed(_settle(round_, book, here, NO_HAND, {seat: hand}) for hand in held)


@derived_by_rules
def settlements(round_: Round, book: Rulebook) -> list[Settlement]:
    """Return every wager and Envy Bonus: staked, due, done; in the order of the seats and wagers."""
    due_by, envy = _dues_by_wager(round_, book)
    at_box = _bettors(round_, book)
    return [*_wager_settlements(round_, book, due_by, at_box), *_envy_settlements(round_, book, envy, at_box)]


def is_wholly_on_record(round_: Round) -> bool:
    """Return whether the record covers the settlement to its end, so that anything it does not show was not done."""
    return round_.closed is not None and "settlement" in round_.opened.payload.observed


def lacks_settlement(round_: Round, book: Rulebook) -> bool:
    """Return whether wagers were at stake and the record shows no settlement of any of them (D860)."""
    lines = settlements(round_, book)
    return any(line.staked_cents > 0 for line in lines) and all(line.done_cents is None for line in lines)


EnvyKey = tuple[int, str]
"""A seat and its Envy Bonus, which is one settlement for all hands that it is paid for."""


def _dues_by_wager(round_: Round, book: Rulebook) -> tuple[dict[Key, Due], dict[EnvyKey, list[Due]]]:
    """Return the dues by wager, and the Envy Bonuses of each seat."""
    due_by: dict[Key, Due] = {}
    envy: dict[EnvyKey, list[Due]] = {}
    for due in dues(round_, book):
        if due.for_position is None:
            due_by[key_in(due)] = due
        else:
            envy.setdefault((due.seat, due.wager), []).append(due)
    return due_by, envy


def _wager_settlements(
    round_: Round, book: Rulebook, due_by: Mapping[Key, Due], at_box: Mapping[int, str]
) -> Iterator[Settlement]:
    """Yield each wager that is due, lay on the layout, or was moved."""
    placed, done_by, vigorish = stakes(round_, book), flows(round_), vigorish_taken(round_, book)
    base, together = book.chapter.base, is_known_to(book)
    for key in sorted(
        {*due_by, *placed, *done_by, *vigorish}, key=lambda key: (key[0], key[1] != base, key[1], key[2] or 0, key[3])
    ):
        owed, stake, flow, taken = due_by.get(key), placed.get(key), done_by.get(key), vigorish.get(key, ())
        moved = flow is not None or (together and bool(taken))
        if owed is None and not moved and (stake is None or stake.on_layout_cents <= 0):
            continue
        yield Settlement(
            seat=key[0],
            wager=key[1],
            number=key[2],
            bettor=stake.bettor if stake else _payee(flow) or at_box.get(key[0], ""),
            paytable=(owed.paytable if owed else "") or _filed_paytable(book, key[1]),
            staked_cents=max(0, stake.in_time_cents) if stake else 0,
            due_cents=_due_cents(round_, book, key, owed, stake),
            done_cents=_done_cents(key, stake, flow, taken) if moved or is_wholly_on_record(round_) else None,
            by_slip_cents=flow.by_slip_cents if flow else 0,
            line=_line(owed, stake),
            cite=_cite(book, key[1], owed, stake),
            from_meter_cents=from_meter_cents(round_, book, key, owed, flow) if flow else None,
            moved=moved or not is_wholly_on_record(round_) or not _is_to_be_moved(key[1], owed, stake),
        )


def _filed_paytable(book: Rulebook, wager: str) -> str:
    """Return the filed paytable of a wager, also of a void or late one; empty without one."""
    paytable = offered(book, wager)
    return paytable.name if paytable is not None else ""


def _is_to_be_moved(wager: str, owed: Due | None, stake: Stake | None) -> bool:
    """Return whether a wager needed an action at the settlement; a progressive one was collected before the deal."""
    at_stake = stake is not None and stake.in_time_cents > 0
    return wager != "progressive" and (at_stake or (owed is not None and owed.net_cents != 0))


def _due_cents(round_: Round, book: Rulebook, key: Key, owed: Due | None, stake: Stake | None) -> int | None:
    """Return the patron's net by the rules, in cents; None if unknown (D318, D500, D562, D1433)."""
    if owed is not None:
        return owed.net_cents
    is_open = no_wagers_on_record(round_) or round_.lost or bool(rules_unknown(round_, book))
    is_open = is_open or (stake is not None and stake.is_overdrawn)
    is_open = is_open or accepted_without_wager(round_, book, key[0], key[1])
    return None if is_open else 0


def _done_cents(key: Key, stake: Stake | None, flow: WagerFlow | None, taken: Sequence[RecordedEvent]) -> int:
    """Return the patron's actual net, in cents, including vigorish (D247)."""
    staked, late_back = (max(0, stake.on_layout_cents), stake.late_back_cents) if stake else (0, 0)
    done = net_done(staked, key[1], flow or WagerFlow(), late_back)
    return done - in_cents(taken) if taken else done


def _line(owed: Due | None, stake: Stake | None) -> str:
    """Return the paytable line or outcome that settles a wager."""
    if owed is not None:
        return owed.line or owed.outcome
    if stake is None:
        return "no_wager"
    return "late" if stake.was_late else "withdrawn"


def _cite(book: Rulebook, wager: str, owed: Due | None, stake: Stake | None) -> str:
    """Return the section of a due: of the result, of the time for wagers, or of a missing wager."""
    return str(owed.cite if owed is not None else section_without_due(book, wager, stake))


def _bettors(round_: Round, book: Rulebook) -> dict[int, str]:
    """Return the owner of each seat's box, not those who bet behind."""
    at_boxes = [stake for stake in stakes(round_, book).values() if stake.wager not in OTHERS]
    wagered = {stake.seat: stake.bettor for stake in at_boxes if stake.on_layout_cents > 0}
    return {stake.seat: stake.bettor for stake in at_boxes} | wagered


def _payee(flow: WagerFlow | None) -> str:
    return str(flow.facts[0].payload.bettor) if flow and flow.facts else ""


def envy_payments(round_: Round) -> dict[EnvyKey, list[RecordedEvent]]:
    """Return the payments of each Envy Bonus, by seat and bonus."""
    payments: dict[EnvyKey, list[RecordedEvent]] = {}
    for fact in round_.of(model.EnvyPaid):
        payments.setdefault((fact.payload.seat, ENVY[fact.payload.wager]), []).append(fact)
    return payments


def _envy_settlements(
    round_: Round, book: Rulebook, envy: Mapping[EnvyKey, Sequence[Due]], at_box: Mapping[int, str]
) -> Iterator[Settlement]:
    """Yield each Envy Bonus that is due or was paid."""
    payments = envy_payments(round_)
    for seat, wager in sorted({*envy, *payments}):
        due, facts = envy.get((seat, wager), ()), payments.get((seat, wager), ())
        amounts = [bonus.net_cents for bonus in due]
        is_open = None in amounts or (not due and (round_.lost or rules_unknown(round_, book)))
        paid_cents = sum(fact.payload.amount_cents for fact in facts)
        yield Settlement(
            seat=seat,
            wager=wager,
            number=None,
            bettor=at_box.get(seat, ""),
            paytable=due[0].paytable if due else "",
            staked_cents=0,
            due_cents=None if is_open else sum(cents for cents in amounts if cents is not None),
            done_cents=paid_cents if facts or is_wholly_on_record(round_) else None,
            by_slip_cents=0,
            line=" ".join(f"{bonus.line}@{bonus.for_position}" for bonus in due),
            cite=str(due[0].cite if due else book.cite(ENVY_SECTION[ENVY_OF[wager]])),
            moved=bool(facts) or not is_wholly_on_record(round_) or not any(amounts),
        )
