"""The calculation of a wager in one sentence, and what to do about a finding that claims money. Pure.

Invariant: odds are printed only if the stake at these odds gives the due to the cent. If not (a maximum payout, a share of a
meter, or a wager that the player-dealer covered in part), the sentence has only the amounts.
"""

import re
from collections.abc import Iterable
from typing import Any, Final

import msgspec

from replay.incidents import Incident
from replay.narrative.findings import to_do_about
from replay.narrative.names import amount, capitalized, line_name, listed
from replay.narrative.verdicts import is_bound
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import chapter
from rulebook.chapters.money import Odds

EVEN_MONEY = Odds(1, 1)
WHOLE_BP = 10_000
PLAIN_OUTCOMES = frozenset({"win", "lose"})
"""Outcomes that the sentence says already."""


class SettledWager(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a settlement for a calculation: see `replay.findings.Settlement`."""

    seat: int
    wager: str
    number: int | None
    paytable: str
    staked_cents: int
    due_cents: int | None
    done_cents: int | None
    line: str
    cite: str


def reckoning(settled: SettledWager, chapter_key: str, currency: str = "") -> str:
    """Return a wager's due and paid amount, with the odds and the pay line; empty if either amount is unknown.

    `chapter_key` is the key of the chapter in force, such as `pa-688a`.

    >>> reckoning(SettledWager(seat=3, wager="ace_high_bonus", number=None, paytable="2", staked_cents=500, due_cents=20000,
    ...     done_cents=10200, line="both_ace_high", cite="58 Pa. Code § 688a.12(b)"), "pa-688a", "USD")
    '$5.00 at 40 to 1 pays $200.00 (both ace high, paytable 2); $102.00 was paid'
    """
    if settled.due_cents is None or settled.done_cents is None:
        return ""
    return f"{_due(settled, chapter_key, currency)}; {_done(settled, currency)}"


def due_reckoning(settled: SettledWager, chapter_key: str, currency: str = "") -> str:
    """Return a wager's due, with the odds and the pay line; empty if unknown. Arguments as for `reckoning`."""
    return "" if settled.due_cents is None else _due(settled, chapter_key, currency)


def action(
    difference_cents: int, seat: int | None, *, doubtful: bool = False, at_least: bool = False, bank: str = "", currency: str = ""
) -> str:
    """Return what to do about an amount in cents that a patron has too little (negative) or too much; empty for none.

    `doubtful`: by another reading of the text, which the finding names, nothing may be wrong. `at_least`: the due is uncertain,
    and this is the smallest possible error. `bank`: the patron who pays in the house's place, as `bank_in` returns it.

    >>> action(-9800, 3, currency="USD")
    'Pay $98.00 to the patron at seat 3.'
    >>> action(-9800, 3, bank="the player-dealer at seat 4", currency="EUR")
    'The player-dealer at seat 4, a patron, pays €98.00 to the patron at seat 3.'
    >>> action(500, 1, currency="USD")
    'Overpaid by $5.00 at seat 1: note it, and take nothing back without the shift manager.'
    """
    if not difference_cents:
        return ""
    cents = ("at least " if at_least else "") + amount(difference_cents, currency)
    if doubtful:
        side = f"{cents} too {'little' if difference_cents < 0 else 'much'}"
        by = f" by {bank}, a patron" if bank else ""
        return f"Decide which reading of the text applies: by the one followed here, {_patron(seat)} was paid {side}{by}."
    if difference_cents < 0:
        return f"{capitalized(bank)}, a patron, pays {cents} to {_patron(seat)}." if bank else f"Pay {cents} to {_patron(seat)}."
    return _overpaid(cents if seat is None else f"{cents} at seat {seat}", bank)


def _overpaid(amounts: str, bank: str) -> str:
    """Return what to do about an overpayment, and who is short by it if a patron holds the bank."""
    short = f"{bank}, a patron, is short by it; " if bank else ""
    return f"Overpaid by {amounts}: {short}note it, and take nothing back without the shift manager."


_BANK: Final = re.compile(r"; (the player-dealer(?: at seat [1-7])?) (?:is short|owes) ")
"""What `of_the_bank` adds to what was observed (`replay/rules/mispayment_words.py`)."""


def bank_in(observed: str) -> str:
    """Return the patron whose bank is short or owes by a finding; empty if the house has the bank.

    >>> bank_in("60.00 returned; the player-dealer at seat 4 is short 60.00"), bank_in("60.00 returned")
    ('the player-dealer at seat 4', '')
    """
    found = _BANK.search(observed)
    return found[1] if found else ""


def actions(incident: Incident, currency: str = "") -> list[str]:
    """Return what to do about an incident: whom to pay, seat by seat, then overpayments (D537); without money, by its cause."""
    doubtful = any(finding.other_reading and finding.difference_cents for finding in incident.findings)
    by_seat = sorted(incident.difference_by_seat.items(), key=lambda item: (item[0] is None, item[0]))
    over = [(seat, cents) for seat, cents in by_seat if cents > 0]
    each = [(seat, cents) for seat, cents in by_seat if cents and (doubtful or cents < 0 or len(over) == 1)]
    bounded = {finding.seat for finding in incident.findings if is_bound(finding.expected)}
    bank = next((bank for finding in incident.findings if (bank := bank_in(finding.observed))), "")
    sentences = [
        action(cents, seat, doubtful=doubtful, at_least=seat in bounded, bank=bank, currency=currency) for seat, cents in each
    ]
    if len(over) > 1 and not doubtful:
        amounts = listed(
            f"{'at least ' if seat in bounded else ''}{amount(cents, currency)}{'' if seat is None else f' at seat {seat}'}"
            for seat, cents in over
        )
        sentences.append(_overpaid(amounts, bank))
    if not any(finding.difference_cents for finding in incident.findings):
        sentences.append(to_do_about(incident.cause.code))
    return sentences


def settled_wager(
    settlements: Iterable[Any], seat: int | None, wager: str | None, difference_cents: int | None
) -> SettledWager | None:
    """Return the settlement of a money finding: that of its seat with its difference, first its wager's.

    `settlements` are the round's, as objects or mappings with the names of `SettledWager`; None if none fits.
    """
    fitting = [
        settled
        for settled in (msgspec.convert(one, SettledWager, from_attributes=True) for one in settlements)
        if settled.seat == seat
        and difference_cents
        and settled.due_cents is not None
        and settled.done_cents is not None
        and settled.done_cents - settled.due_cents == difference_cents
    ]
    return min(fitting, key=lambda settled: settled.wager != wager, default=None)


def _patron(seat: int | None) -> str:
    return "the patron" if seat is None else f"the patron at seat {seat}"


PROGRESSIVE = "progressive"
"""The wager that is collected before the deal, whether it wins or not: of it the reckoning gives what comes out net."""


def _due(settled: SettledWager, chapter_key: str, currency: str) -> str:
    staked, due = settled.staked_cents, settled.due_cents or 0
    stake, why = amount(staked, currency), _why(settled)
    if _is_partly_covered(settled, chapter_key):
        covered = f"the player-dealer's wager covers {amount(due, currency)} of it{why}"
        return f"{stake} {'wins' if due > 0 else 'loses'}, and {covered}"
    if not staked:
        return f"{amount(due, currency)} is due{why}" if due else f"nothing is due{why}"
    if due > 0:
        odds = _odds(settled, chapter_key)
        if settled.wager == PROGRESSIVE and odds is None:
            return f"{stake} wins {amount(due, currency)} net{why}"
        return f"{stake}{'' if odds is None else f' {odds}'} pays {amount(due, currency)}{why}"
    if due == 0:
        return f"{stake} goes back to the patron{why}"
    return f"{stake} is lost{why}" if due == -staked else f"{amount(due, currency)} of {stake} is lost{why}"


def _is_partly_covered(settled: SettledWager, chapter_key: str) -> bool:
    """Return whether the player-dealer covers only part of another patron's win (at the odds) or loss (the stake)."""
    try:
        is_banked = GAMES[chapter(*chapter_key.split("-", 1)).game].patron_banked
    except (KeyError, TypeError):  # a chapter of an outside game
        return False
    due, staked = settled.due_cents or 0, settled.staked_cents
    if not is_banked or not due or not staked:
        return False
    return _odds(settled, chapter_key) is None if due > 0 else -due < staked


def _done(settled: SettledWager, currency: str) -> str:
    done, due = settled.done_cents or 0, settled.due_cents or 0
    if settled.wager == PROGRESSIVE and done != min(due, 0):
        return _net_done(done, due, currency)
    if done > 0:
        return f"{amount(done, currency)} was paid"
    if done < 0:
        return f"{amount(done, currency)} was collected"
    if due > 0 and settled.staked_cents:
        return "nothing beyond the stake was paid"
    return "it was not collected" if settled.staked_cents else "nothing was paid"


def _net_done(done: int, due: int, currency: str) -> str:
    """Return the net result of a wager that was collected before the deal: won or lost, or not returned."""
    if done < 0:
        return f"{amount(done, currency)} was not returned" if due == 0 else f"the patron lost {amount(done, currency)}"
    return f"the patron won {amount(done, currency)} net" if done > 0 else "the patron got just the wager back"


def _why(settled: SettledWager) -> str:
    """The pay line or outcome in parentheses, with the paytable if there is one."""
    parts = []
    if settled.line and settled.line not in PLAIN_OUTCOMES:
        line = line_name(settled.line)
        parts.append(line[:1].lower() + line[1:])
    if settled.paytable:
        parts.append(f"paytable {settled.paytable}")
    return f" ({', '.join(parts)})" if parts else ""


def _odds(settled: SettledWager, chapter_key: str) -> str | None:
    """Return the odds in words, if the stake at these odds is the due; None otherwise."""
    staked, due = settled.staked_cents, settled.due_cents
    jurisdiction, _, name = chapter_key.partition("-")
    if not settled.paytable and EVEN_MONEY.winnings(staked) == due:
        return "at even money"
    try:
        text = chapter(jurisdiction, name)
        if not settled.paytable:
            return _less_vigorish(settled, text.numbers.get("vigorish_bp", 0))
        paytable = text.paytable(settled.wager, settled.paytable)
    except KeyError:  # filed by the property, or of an outside game: the text has no such paytable
        return None
    for line in paytable.lines:
        if line.hand == settled.line and line.odds is not None and line.odds.winnings(staked) == due:
            if line.odds == EVEN_MONEY:
                return "at even money"
            return f"at {line.odds.numerator:,} to {line.odds.denominator:,}"
    return None


def _less_vigorish(settled: SettledWager, rate_bp: int) -> str | None:
    """Return the odds in words of a winner who pays the chapter's vigorish, if nothing was rounded off."""
    less = Odds(WHOLE_BP - rate_bp, WHOLE_BP)
    if not rate_bp or settled.line != "win" or less.winnings(settled.staked_cents) != settled.due_cents:
        return None
    return f"at even money less {rate_bp / 100:g} % vigorish"
