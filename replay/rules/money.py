"""The money: each difference between what a wager was due and what was done (58 Pa. Code §§ 688a.11(d)-(h), 688a.12, 688a.13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from events.vocabulary import model
from games.catalogue import GAMES
from games.layout import NO_HAND
from games.rulebook.money import show_money
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import PUSHES, Due, Outcome
from replay.findings import Finding, Settlement, name
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import key_in
from replay.rules.rule import EVERY_CHAPTER, Indeterminate, finding, rule
from replay.settlement.hand_readings import dealer_position, dealer_readings, readings, set_hands, twice
from replay.settlement.omitted_evidence import no_wagers_on_record
from replay.settlement.payouts import WagerFlow, flows, shown
from replay.settlement.settlement import FURTHER_WHY, _covers, _envy_paid, dues, is_void, settlements
from replay.settlement.stakes import ENVY_OF, ENVY_SECTION, Stake, late_section, stakes
from replay.settlement.table_layout import voided_seats
from replay.settlement.vigorish import (
    in_cents,
    is_known_to,
    is_of_vigorish,
    vigorish_expected,
    vigorish_section,
    vigorish_taken,
)
from replay.settlement.voids import can_be_void, is_miscounted, may_have_to_be_void, must_be_void


@rule(
    "PAY-VOID",
    "WAGER-LATE",
    "PAY-FOUL",
    "PAY-LIMIT",
    "PAY-METER",
    "PAY-TAKEN",
    "PAY-NOT-TAKEN",
    "PAY-LOSER",
    "PAY-MISSED",
    "PAY-OVER",
    "PAY-UNDER",
    "PAY-VIG",
    "MYST-AMOUNT",
    "MYST-TRIGGER",
    "CA-COVER",
    on=EVERY_CHAPTER,
)
def money(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """Every wager ends as the rules say; a difference is found with its amount and the section."""
    yield from _grounds_of_void(round_, book)
    placed, lost = stakes(round_, book), round_.lost
    moved_late = {key for key, stake in placed.items() if stake.late_cents or stake.doubt}
    wrong = [each for each in settlements(round_, book) if each.due_cents is None or each.due_cents != each.done_cents]
    if not wrong and not moved_late:
        return
    due_by = {key_in(due): due for due in dues(round_, book) if due.for_position is None}
    done_by, vigorish = flows(round_), vigorish_taken(round_, book)
    for each in settlements(round_, book):
        if each.wager in ENVY_OF:
            continue
        key = key_in(each)
        due, stake, flow = due_by.get(key), placed.get(key), done_by.get(key, WagerFlow())
        doubt = stake.doubt if stake is not None else ""  # `doubtful_wagers` says it
        owed = due.net_cents if due is not None else 0 if doubt else each.due_cents
        if owed is None:
            why = _why(round_, book, each.seat, each.wager)
            yield Indeterminate(f"seat {each.seat} {each.wager}: what is due cannot be told ({why})")
            continue
        if lost or doubt:
            continue
        late = stake is not None and stake.late_cents != 0
        taken = vigorish.get(key, ())
        difference = each.done_cents - owed if each.done_cents is not None else None
        if difference is not None and taken and not is_known_to(book):
            difference, taken = difference + in_cents(taken), ()
        if not late and not difference:
            continue
        code, section = _classify(book, due, stake, flow, difference)
        expected = _expected(due, each) + _covered(due)
        expected += f" on the {each.number}" if each.number is not None else ""
        if not late and difference is not None and is_of_vigorish(due, taken, difference):
            code, section, expected = "PAY-VIG", vigorish_section(book), vigorish_expected(due)
        facts = [*(stake.facts if stake else ()), *flow.facts, *taken]
        goes_back = each.staked_cents if due is None or each.wager != "progressive" else due.returned_cents
        observed = shown(flow, goes_back)
        observed += f", {show_money(in_cents(taken))} vigorish" if taken else ""
        yield finding(
            round_,
            book,
            code,
            section,
            expected=expected,
            observed=observed,
            evidence=facts or ((round_.closed,) if round_.closed else ()),
            seat=each.seat,
            wager=each.wager,
            difference_cents=difference,
            other_reading=due.other_reading if due else None,
        )


def _classify(
    book: Rulebook, due: Due | None, stake: Stake | None, flow: WagerFlow, difference: int | None
) -> tuple[str, str]:
    """Return the most specific code of a wrongly settled wager, and the section it breaks."""
    section: str = due.cite if due is not None else "7(c)"
    if stake is not None and stake.late_cents != 0:
        return "WAGER-LATE", late_section(book, stake.wager)
    assert difference is not None
    if due is None:
        return "PAY-OVER" if difference > 0 else "PAY-TAKEN", "11(f)"
    if due.outcome is Outcome.VOID:
        return "PAY-VOID", section
    if due.uncovered_cents:
        return "CA-COVER", section
    if due.outcome is Outcome.FOUL:
        return "PAY-FOUL", section
    limit = book.max_payout_cents
    if limit is not None:
        if difference > 0 and due.capped:
            return "PAY-LIMIT", "12(e)"
        if difference < 0 and flow.winnings_cents == limit and not due.capped:
            return "PAY-LIMIT", "12(e)"
    if due.outcome is Outcome.WIN:
        if flow.winnings_cents == 0:
            return ("PAY-TAKEN" if flow.taken_cents else "PAY-MISSED"), section
        if due.share_bp:
            return "MYST-AMOUNT" if due.wager == "mystery" else "PAY-METER", section
        return ("PAY-OVER" if difference > 0 else "PAY-UNDER"), section
    if due.outcome in PUSHES:
        return ("PAY-OVER" if difference > 0 else "PAY-TAKEN"), section
    if flow.winnings_cents:
        return "MYST-TRIGGER" if due.wager == "mystery" else "PAY-LOSER", section
    return ("PAY-NOT-TAKEN" if difference > 0 else "PAY-TAKEN"), section


def _expected(due: Due | None, each: Settlement) -> str:
    if due is None:
        return "no wager in time, so nothing won and nothing lost"
    net = each.due_cents or 0
    if net > 0:
        table = f", paytable {due.paytable}" if due.paytable else ""
        return f"{show_money(due.winnings_cents)} paid ({due.line or due.outcome}{table})"
    if net < 0 and due.outcome is Outcome.WIN:
        return f"{show_money(due.winnings_cents)} paid ({due.line})"
    if net < 0:
        return f"{show_money(-net)} collected ({due.outcome})"
    if not each.staked_cents:
        return f"nothing paid ({due.line or due.outcome})"
    return f"{show_money(each.staked_cents)} returned ({due.line or due.outcome})"


def _covered(due: Due | None) -> str:
    return ", as far as the player-dealer's wager covers it" if due is not None and due.uncovered_cents else ""


def _why(round_: Round, book: Rulebook, seat: int, wager: str) -> str:
    for further in FURTHER_WHY.get(book.game, ()):
        said = further(round_, book, seat, wager)
        if said is not None:
            return said
    if no_wagers_on_record(round_):
        return "no wager is on record"
    if may_have_to_be_void(round_, book):
        return "the round is void if the first card went where the wrong total points"
    for position in (seat, dealer_position(round_)):
        if twice(round_.hands().get(position, ()), book):
            return f"{name(position)} holds the same card twice, by the record"
    if any(dealer.cards is None for dealer in dealer_readings(round_, book)):
        in_part = None in round_.hands().get(dealer_position(round_), ())
        return "the dealer's cards were not all read" if in_part else "the dealer's cards are not on record"
    held = readings(round_, book, seat)
    if held == [NO_HAND] or len(held) > 1:
        return f"the cards of seat {seat} were not all read"
    if wager not in book.offers and wager not in ENVY_OF:
        return "the rules submission does not offer it"
    if GAMES[book.game].hands and held[0].high is None and wager in (book.chapter.base, "backline"):
        return f"how seat {seat} set the hands is not on record" + (
            ", not with all cards" if seat in set_hands(round_) else ""
        )
    if len(dealer_readings(round_, book)) > 1:
        if len(readings(round_, book, dealer_position(round_))) > 1:
            return "the dealer's cards were not all read"
        return "the house way allows the dealer several settings, which end differently"
    if GAMES[book.game].hands and wager == book.chapter.base and dealer_readings(round_, book)[0].high is None:
        return f"how {name(dealer_position(round_))} set the hands is not on record"
    return "the meter, or the filed rule, is not on record"


def _grounds_of_void(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """A void needs a ground in the record, where the record covers what the ground is made of."""
    voided = round_.voided
    by_the_floor = voided is not None and voided.payload.reason == "floor_decision" and is_miscounted(round_, book)
    has_ground = by_the_floor or must_be_void(round_, book)
    if voided is not None and not can_be_void(book):
        yield Indeterminate(f"the round was voided ({voided.payload.reason}), for which the chapter has no ground")
    elif voided is not None and not has_ground and _covers(round_, voided.payload.reason):
        yield Indeterminate(f"the round was voided ({voided.payload.reason}) and the record shows no ground for it")
    exposed = {fact.payload.whose for fact in round_.of(model.CardExposed) if fact.payload.by == "dealer"}
    for seat in sorted(voided_seats(round_) - exposed):
        if "deal" in round_.opened.payload.observed and not is_void(round_, book) and book.has("13(d)"):
            yield Indeterminate(f"the hand of seat {seat} was voided and the record shows no exposed card")


@rule("PAY-ENVY", on=("11(h)(2)(ii)", "12(d)"))
def envy_bonuses(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """Envy Bonuses are paid to every qualifying wager for every qualifying hand of another patron, and to nobody else.

    Where they are not covered whole, which of several hands what remains was paid for is not asked (D283).
    """
    due_for: dict[tuple[int, str], dict[int | str, Due]] = {}
    for due in dues(round_, book):
        if due.for_position is not None:
            due_for.setdefault((due.seat, due.wager), {})[due.for_position] = due
    paid = _envy_paid(round_)
    if round_.lost:
        return
    for key in sorted({*due_for, *paid}):
        each_due, facts = due_for.get(key, {}), paid.get(key, [])
        unknown = [due for due in each_due.values() if due.net_cents is None]
        if unknown:
            yield Indeterminate(f"seat {key[0]} {key[1]}: another seat's cards were not all read")
            continue
        if not facts and not (round_.covers("settlement") and round_.closed is not None):
            continue
        paid_for: dict[int | str, int] = {}
        for fact in facts:
            paid_for[fact.payload.for_position] = paid_for.get(fact.payload.for_position, 0) + fact.payload.amount_cents
        owed = {position: due.net_cents for position, due in each_due.items() if due.net_cents}
        if not round_.covers("settlement"):
            owed = {position: cents for position, cents in owed.items() if position in paid_for}
        short = any(due.uncovered_cents for due in each_due.values()) and paid_for.keys() <= each_due.keys()
        if paid_for == owed or (short and sum(paid_for.values()) == sum(owed.values())):
            continue
        yield finding(
            round_,
            book,
            "PAY-ENVY",
            ENVY_SECTION[ENVY_OF[key[1]]],
            expected=_amounts(owed),
            observed=_amounts(paid_for),
            evidence=facts or ((round_.closed,) if round_.closed else ()),
            seat=key[0],
            wager=key[1],
            difference_cents=sum(paid_for.values()) - sum(owed.values()),
        )


def _amounts(by_position: dict[int | str, int]) -> str:
    parts = [
        f"{show_money(cents)} for {position if position == 'dealer' else f'seat {position}'}"
        for position, cents in sorted(by_position.items(), key=str)
    ]
    return ", ".join(parts) if parts else "no Envy Bonus"


@rule("PAY-VIG", on=("12(a)",))
def vigorish(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """No commission or vigorish is charged."""
    for fact in round_.of(model.VigorishTaken):
        yield finding(
            round_,
            book,
            "PAY-VIG",
            "12(a)",
            expected="no vigorish",
            observed=f"{show_money(fact.payload.amount_cents)} taken",
            evidence=(fact,),
            seat=fact.payload.seat,
            wager=book.chapter.base,
            difference_cents=-fact.payload.amount_cents,
        )


@rule("PAY-SOURCE", on=("11(h)(3)(i)(B)(4)",))
def source(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """A share of the progressive meter is not paid from the table inventory."""
    for due in dues(round_, book):
        if due.wager != "progressive" or not due.share_bp:
            continue
        paid: Iterable[RecordedEvent] = [
            fact
            for fact in round_.of(model.WagerPaid)
            if fact.payload.seat == due.seat
            and fact.payload.wager == "progressive"
            and fact.payload.source == "inventory"
        ]
        cents = sum(fact.payload.winnings_cents for fact in paid)
        if cents > due.cash_cents:
            yield finding(
                round_,
                book,
                "PAY-SOURCE",
                "11(h)(3)(i)(B)(4)",
                expected="the share of the meter paid by slip",
                observed=f"{show_money(cents)} paid from the inventory",
                evidence=paid,
                seat=due.seat,
                wager="progressive",
            )
