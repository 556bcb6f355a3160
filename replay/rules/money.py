"""The money: each difference between what a wager was due and what was done (58 Pa. Code §§ 688a.11(d)-(h), 688a.12, 688a.13)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from events.vocabulary import model
from replay.findings import Settlement, name
from replay.fold.derived import derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from replay.rules.mispayment_words import late_part, no_bonus_for, no_envy_for, of_the_bank, of_the_limit
from replay.rules.rule import EVERY_CHAPTER, Departure, Early, Indeterminate, rule
from replay.settlement.open_reasons import open_envy_reason, open_reason
from replay.settlement.payouts import WagerFlow, describe_flow, flows
from replay.settlement.round_readings import groundless_declarations
from replay.settlement.settlement import EnvyKey, dues, envy_payments, readings_in_any_order, settlements
from replay.settlement.stakes import ENVY_OF, ENVY_SECTION, Stake, late_section, late_section_of, section_without_due, stakes
from replay.settlement.vigorish import in_cents, is_known_to, is_of_vigorish, vigorish_expected, vigorish_section, vigorish_taken
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.wagers import PUSHES, Due, Outcome

MONEY = (model.WagerTaken, model.WagerPaid, model.WagerReturned, model.VigorishTaken)
"""Acts on a wager that can correct an earlier act."""
DUE_ANEW = (
    model.WagerRefused,
    model.WagerRemoved,
    model.HandReset,
    model.Surrendered,
    model.PatronLeft,
    model.WagerAbandoned,
    model.MysteryHit,
    model.CardExposed,
    model.HandElected,
)
"""After which a wager is due something else than before."""


CODES = (
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
)
"""The codes of wrong money."""


@rule(
    *CODES,
    on=EVERY_CHAPTER,
    over_readings=True,
    early=Early(
        "a wager with which something was done is held against what it is due; nothing is said of one not settled yet",
        remedies=(*MONEY, *DUE_ANEW),
        in_steps=frozenset({"PAY-VIG", "PAY-METER", "MYST-AMOUNT"}),
    ),
)
def money(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Every wager ends as the rules say; a difference is found with its amount and the section.

    If readings of the round or of its cards differ, only what holds in all of them is found: a late wager, or a payment above the
    most or below the least that can be due (D500, D502).
    """
    for why, _ in groundless_declarations(round_, book).values():
        yield Indeterminate(why)
    is_right = all(line.due_cents is not None and line.due_cents == line.done_cents for line in settlements(round_, book))
    if is_right and not any(stake.late_cents or stake.doubt for stake in stakes(round_, book).values()):
        return
    readings = [_accounts(reading, book) for reading in readings_in_any_order(round_, book)]
    for key, account in _accounts(round_, book).items():
        of_key = [each.get(key) for each in readings]
        is_open = any(each is not None and each.settlement.due_cents is None for each in of_key)
        if account.settlement.due_cents is None and (is_open or not account.is_in_doubt):
            seat, wager = account.settlement.seat, account.settlement.wager
            reason = open_reason(round_, book, seat, wager)
            yield Indeterminate(f"seat {seat} {wager}: what is due cannot be told ({reason})")
        if round_.lost:
            continue
        if account.settlement.due_cents is None or account.is_in_doubt:
            yield from _in_every_reading(round_, book, account, of_key)
        else:
            yield from _difference(round_, book, account, account.settlement.due_cents)


class WagerAccount(msgspec.Struct, frozen=True):
    """One wager's money: its settlement, the amount due, the stake, the amount paid or collected, and the vigorish taken."""

    settlement: Settlement
    due: Due | None
    stake: Stake | None
    flow: WagerFlow
    vigorish: Sequence[RecordedEvent]

    @property
    def is_in_doubt(self) -> bool:
        """Whether the amount at stake is unknown; `doubtful_wagers` says why."""
        return self.stake is not None and bool(self.stake.doubt)

    @property
    def is_late(self) -> bool:
        """Whether anything of the wager was moved after its time."""
        return self.stake is not None and self.stake.late_cents != 0

    @property
    def range_cents(self) -> tuple[int, int] | None:
        """The least and the most that the wager is due; None if it has no bounds."""
        due_cents = self.settlement.due_cents
        if due_cents is not None:
            return due_cents, due_cents
        return self.due.range_cents if self.due is not None else None


@derived_by_rules
def _accounts(round_: Round, book: Rulebook) -> dict[Key, WagerAccount]:
    """Return the account of each wager, in the order of the settlements; Envy Bonuses are judged by `envy_bonuses`."""
    due_by = {key_in(due): due for due in dues(round_, book) if due.for_position is None}
    placed, done_by, vigorish = stakes(round_, book), flows(round_), vigorish_taken(round_, book)
    found: dict[Key, WagerAccount] = {}
    for settlement in settlements(round_, book):
        if settlement.wager not in ENVY_OF:
            key = key_in(settlement)
            flow = done_by.get(key, WagerFlow())
            found[key] = WagerAccount(settlement, due_by.get(key), placed.get(key), flow, vigorish.get(key, ()))
    return found


def _in_every_reading(
    round_: Round, book: Rulebook, account: WagerAccount, readings: Sequence[WagerAccount | None]
) -> Iterator[Departure]:
    """Find what holds for a wager in every reading: that it was late, or got more than the most, or less than the least, due."""
    read = [each for each in readings if each is not None]
    difference, limit = _beyond_all(book, read) if len(read) == len(readings) else (None, "")
    is_late = bool(read) and all(each.is_late for each in read) and len(read) == len(readings)
    if not is_late and not difference:
        return
    section = _section_of_bound(book, account, limit)
    if is_late:
        code, section = "WAGER-LATE", late_section(book, account.settlement.wager)
        if account.stake is not None:
            section = late_section_of(round_, book, account.stake)
    elif difference is not None and difference > 0:
        code = "PAY-OVER"
    else:
        code = "PAY-UNDER" if account.flow.winnings_cents else _not_paid(account.flow)
    facts = [*(account.stake.facts if account.stake else ()), *account.flow.facts]
    late, observed = read[0].stake, _observed(account, account.vigorish if is_known_to(book) else ())
    yield Departure(
        section,
        code=code,
        expected=limit or "no wager after its time",
        observed=(f"{late_part(round_, book, late)}; {observed}" if is_late and late is not None else observed)
        + of_the_bank(round_, book, difference, account.flow.facts),
        evidence=facts or ((round_.closed,) if round_.closed else ()),
        seat=account.settlement.seat,
        wager=account.settlement.wager,
        difference_cents=difference,
    )


def _section_of_bound(book: Rulebook, account: WagerAccount, limit: str) -> str:
    """Return the section of a bound: the section of the odds if it limits a payment, otherwise the section of the amount due."""
    rule_ = book.chapter.wagers.get(account.settlement.wager)
    is_covered = account.due is None or account.due.uncovered_cents == 0
    if limit.endswith(PAID) and rule_ is not None and is_covered:
        return rule_.odds_cite
    return account.due.cite if account.due is not None else book.cite("11(f)")


def _not_paid(flow: WagerFlow) -> str:
    return "PAY-TAKEN" if flow.taken_cents else "PAY-MISSED"


def _beyond_all(book: Rulebook, readings: Sequence[WagerAccount]) -> tuple[int | None, str]:
    """Return the smallest overpayment (underpayment: below zero) of a wager over all readings, in cents, and the limit in words.

    Return None and no words if the payment is right in some reading, or a reading has no bounds.
    """
    over, under = list[int](), list[int]()
    ranges = [each.range_cents for each in readings]
    for each, bounds in zip(readings, ranges, strict=True):
        done = each.settlement.done_cents
        if bounds is None or done is None:
            return None, ""
        if each.vigorish and not is_known_to(book):  # a finding of its own
            done += in_cents(each.vigorish)
        over.append(done - bounds[1])
        under.append(done - bounds[0])
    known = [bounds for bounds in ranges if bounds is not None]
    staked = max(each.settlement.staked_cents for each in readings)
    if min(over, default=0) > 0:
        return min(over), _limit("at most", max(most for _, most in known), staked)
    if max(under, default=0) < 0:
        return max(under), _limit("at least", min(least for least, _ in known), staked)
    return None, ""


PAID = " paid"
"""How a bound ends that is a payment."""


def _limit(bound: Literal["at least", "at most"], net: int, staked_cents: int) -> str:
    """Return a bound of the amount due in words, from the patron's side."""
    if net > 0:
        return f"{bound} {show_money(net)}{PAID}"
    if net < 0:
        other = "at most" if bound == "at least" else "at least"
        return f"{other} {show_money(-net)} collected"
    return f"{bound} the stake of {show_money(staked_cents)} returned" if staked_cents else f"{bound} nothing paid"


def _difference(round_: Round, book: Rulebook, account: WagerAccount, owed_cents: int) -> Iterator[Departure]:
    """Find a wager that was late, or that was not settled as owed."""
    settlement, due, taken = account.settlement, account.due, account.vigorish
    difference = settlement.done_cents - owed_cents if settlement.done_cents is not None else None
    if difference is not None and taken and not is_known_to(book):  # a finding of its own
        difference, taken = difference + in_cents(taken), ()
    if not account.is_late and not difference:
        return
    if not account.is_late and difference is not None and is_of_vigorish(due, taken, difference):
        code, section, expected = "PAY-VIG", vigorish_section(book), vigorish_expected(due)
    else:
        code, section = _classify(book, account, difference)
        if account.is_late and account.stake is not None:
            section = late_section_of(round_, book, account.stake)
        expected = _expected(account)
    if code == "PAY-LIMIT" and due is not None:
        expected += f"; {of_the_limit(book, due.capped)}"
    if code == "MYST-TRIGGER":
        section, why_none = no_bonus_for(round_, book, settlement.seat)
        expected = f"{expected}; {why_none}"
    observed = _observed(account, taken)
    if account.is_late and account.stake is not None:
        observed = f"{late_part(round_, book, account.stake)}; {observed}"
    if code != "PAY-VIG":
        observed += of_the_bank(round_, book, difference, account.flow.facts)
    facts = [*(account.stake.facts if account.stake else ()), *account.flow.facts, *taken]
    yield Departure(
        section,
        code=code,
        expected=expected,
        observed=observed,
        evidence=facts or ((round_.closed,) if round_.closed else ()),
        seat=settlement.seat,
        wager=settlement.wager,
        difference_cents=difference,
        other_reading=due.other_reading if due else None,
    )


OVER_OR_UNDER = {"win": ("PAY-OVER", "PAY-UNDER"), "push": ("PAY-OVER", "PAY-TAKEN"), "lose": ("PAY-NOT-TAKEN", "PAY-TAKEN")}
"""How a wager should have ended → the code if the patron got too much, and where too little."""


def _classify(book: Rulebook, account: WagerAccount, difference: int | None) -> tuple[str, str]:
    """Return the most specific code of a wrongly settled wager, and the section it breaks."""
    due = account.due
    if account.is_late:
        return "WAGER-LATE", late_section(book, account.settlement.wager)
    assert difference is not None
    if due is None:
        section: str = section_without_due(book, account.settlement.wager, account.stake)
        return "PAY-OVER" if difference > 0 else "PAY-TAKEN", section
    section = due.cite
    if due.outcome is Outcome.VOID:
        return "PAY-VOID", section
    if due.uncovered_cents:
        return "CA-COVER", section
    if due.outcome is Outcome.FOUL:
        return "PAY-FOUL", section
    if _is_of_the_limit(book, due, account.flow, difference):
        return "PAY-LIMIT", "12(e)"
    return _code_by_outcome(due, account.flow, difference), section


def _is_of_the_limit(book: Rulebook, due: Due, flow: WagerFlow, difference: int) -> bool:
    """Return whether the maximum payout was exceeded, or applied to a wager that it does not limit (§ 688a.12(e))."""
    limit = book.max_payout_cents
    if limit is None:
        return False
    if difference > 0:
        return due.capped
    return difference < 0 and flow.winnings_cents == limit and not due.capped


def _code_by_outcome(due: Due, flow: WagerFlow, difference: int) -> str:
    """Return the code of a difference by how the wager should have ended: a win, a push or a loss."""
    too_much = difference > 0
    if due.outcome in (*PUSHES, Outcome.UNKNOWN):
        return OVER_OR_UNDER["push"][not too_much]
    if due.outcome is not Outcome.WIN:
        if flow.winnings_cents and too_much:
            return "MYST-TRIGGER" if due.wager == "mystery" else "PAY-LOSER"
        return OVER_OR_UNDER["lose"][not too_much]
    if flow.winnings_cents == 0:
        return _not_paid(flow)
    if due.share_bp:
        return "MYST-AMOUNT" if due.wager == "mystery" else "PAY-METER"
    return OVER_OR_UNDER["win"][not too_much]


def _expected(account: WagerAccount) -> str:
    """Return in words what was owed: how much, on which number, and whether the player-dealer's wager covered all of it."""
    due, number = account.due, account.settlement.number
    expected = _owed(due, account.settlement)
    if due is not None and due.uncovered_cents:
        expected += f"; {_uncovered(due)} beyond the player-dealer's wager"
    return expected if number is None else f"{expected} on the {number}"


def _uncovered(due: Due) -> str:
    """Return in words the part of a win or loss that is not covered, and so neither paid nor collected."""
    how = "won" if due.uncapped_cents else "lost"
    covered = due.winnings_cents if due.uncapped_cents else -(due.net_cents or 0)
    part = show_money(due.uncovered_cents)
    return f"of {show_money(covered + due.uncovered_cents)} {how}, {part} is" if covered else f"the {part} {how} is"


def _owed(due: Due | None, settlement: Settlement) -> str:
    if due is None:
        none = "a wager that was withdrawn or refused in time" if settlement.line == "withdrawn" else "no wager in time"
        return f"{none}, so nothing won and nothing lost"
    net = settlement.due_cents or 0
    if net > 0:
        table = f", paytable {due.paytable}" if due.paytable else ""
        return f"{show_money(due.winnings_cents)} paid ({due.line or due.outcome}{table})"
    if net < 0 and due.outcome is Outcome.WIN:
        return f"{show_money(due.winnings_cents)} paid ({due.line})"
    if net < 0:
        return f"{show_money(-net)} collected ({due.outcome})"
    if not settlement.staked_cents:
        return f"nothing paid ({due.line or due.outcome})"
    return f"{show_money(settlement.staked_cents)} returned ({due.line or due.outcome})"


def _observed(account: WagerAccount, taken: Sequence[RecordedEvent]) -> str:
    """Return in words what was done, including the vigorish."""
    due, settlement = account.due, account.settlement
    goes_back = settlement.staked_cents if due is None or settlement.wager != "progressive" else due.returned_cents
    observed = describe_flow(account.flow, goes_back)
    if settlement.wager == "progressive" and not account.flow.facts and settlement.due_cents == 0:
        observed = "not returned"  # it was collected before the deal
    return f"{observed}, {show_money(in_cents(taken))} vigorish" if taken else observed


@rule(
    "PAY-ENVY",
    on=("11(h)(2)(ii)", "12(d)"),
    over_readings=True,
    early=Early(
        "an Envy Bonus that was paid is held against what is due; nothing is said of one not paid yet",
        remedies=(model.EnvyPaid, *DUE_ANEW),
        in_steps=frozenset({"PAY-ENVY"}),
    ),
)
def envy_bonuses(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """Envy Bonuses are paid to every qualifying wager for every qualifying hand of another patron, and to no one else.

    If the cover is not enough for all, the rule does not ask for which hand the rest was paid (D283).
    """
    dues_by_hand, payments = _envy_dues(round_, book), envy_payments(round_)
    if round_.lost:
        return
    for seat, wager in sorted({*dues_by_hand, *payments}):
        due_for, facts = dues_by_hand.get((seat, wager), {}), payments.get((seat, wager), [])
        unknown = [position for position, due in due_for.items() if due.net_cents is None]
        if unknown:
            reason = open_envy_reason(round_, book, seat, wager, int(unknown[0]))
            yield Indeterminate(f"seat {seat} {wager}: what is due cannot be told ({reason})")
            continue
        if not facts and not (round_.covers("settlement") and round_.closed is not None):
            continue
        paid_for = _cents_by_hand(facts)
        owed = {position: due.net_cents for position, due in due_for.items() if due.net_cents}
        if not round_.covers("settlement"):
            owed = {position: cents for position, cents in owed.items() if position in paid_for}
        short = any(due.uncovered_cents for due in due_for.values()) and paid_for.keys() <= due_for.keys()
        if paid_for == owed or (short and sum(paid_for.values()) == sum(owed.values())):
            continue
        why_none = no_envy_for(round_, book, wager, seat, paid_for, owed)
        difference = sum(paid_for.values()) - sum(owed.values())
        yield Departure(
            ENVY_SECTION[ENVY_OF[wager]],
            expected=f"{_amounts(owed)} ({why_none})" if why_none else _amounts(owed),
            observed=_amounts(paid_for) + of_the_bank(round_, book, difference, facts),
            evidence=facts or ((round_.closed,) if round_.closed else ()),
            seat=seat,
            wager=wager,
            difference_cents=difference,
        )


def _envy_dues(round_: Round, book: Rulebook) -> dict[EnvyKey, dict[int | str, Due]]:
    """Return the amounts due by seat and Envy Bonus, each with its hand."""
    by_bonus: dict[EnvyKey, dict[int | str, Due]] = {}
    for due in dues(round_, book):
        if due.for_position is not None:
            by_bonus.setdefault((due.seat, due.wager), {})[due.for_position] = due
    return by_bonus


def _cents_by_hand(payments: Iterable[RecordedEvent]) -> dict[int | str, int]:
    """Return how much was paid for which hand."""
    cents: dict[int | str, int] = {}
    for fact in payments:
        cents[fact.payload.for_position] = cents.get(fact.payload.for_position, 0) + fact.payload.amount_cents
    return cents


def _amounts(by_position: dict[int | str, int]) -> str:
    parts = [f"{show_money(cents)} for {name(position)}" for position, cents in sorted(by_position.items(), key=str)]
    return ", ".join(parts) if parts else "no Envy Bonus"


@rule("PAY-VIG", on=("12(a)",), early=Early("vigorish that was taken was taken"))
def vigorish(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """No commission or vigorish is charged."""
    for fact in round_.of(model.VigorishTaken):
        yield Departure(
            "12(a)",
            expected="no vigorish",
            observed=f"{show_money(fact.payload.amount_cents)} taken",
            evidence=(fact,),
            seat=fact.payload.seat,
            wager=book.chapter.base,
            difference_cents=-fact.payload.amount_cents,
        )


@rule("PAY-SOURCE", on=("11(h)(3)(i)(B)(4)",), early=Early("chips paid for a share of the meter were paid", remedies=MONEY))
def source(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A share of the progressive meter is not paid from the table inventory."""
    for due in dues(round_, book):
        if due.wager != "progressive" or not due.share_bp:
            continue
        paid: Iterable[RecordedEvent] = [
            fact
            for fact in round_.of(model.WagerPaid)
            if fact.payload.seat == due.seat and fact.payload.wager == "progressive" and fact.payload.source == "inventory"
        ]
        cents = sum(fact.payload.winnings_cents for fact in paid)
        if cents > due.cash_cents:
            yield Departure(
                "11(h)(3)(i)(B)(4)",
                expected="the share of the meter paid by slip",
                observed=f"{show_money(cents)} paid from the inventory",
                evidence=paid,
                seat=due.seat,
                wager="progressive",
            )
