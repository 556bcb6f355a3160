"""The sections that a verdict cites, each with its number and its content in our own words. Pure.

A finding's section has the text of its rule; a settlement's, the payout of the filed paytable or the chapter's odds.
"""

import msgspec

from replay.findings import Adjudication, Finding, Settlement
from replay.narrative.names import plain, wager_with_number
from replay.run.adjudicate import rules_of
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import PayLine, Rulebook

OUTCOMES = {
    "win": "wins, and is paid {odds}",
    "lose": "loses, and is taken",
    "tie": "ends in a tie, and is returned",
    "foul": "loses, because the hands were set foul",
    "ace_high_push": "is a push, because the dealer's high hand is ace high",
    "tiger_9_push": "is a push, by the rule of the Tiger 9",
    "folded": "is lost, because the patron folded",
    "uncovered": "is returned, because the player-dealer's wager does not cover it",
    "surrendered": "was surrendered",
    "abandoned": "is lost, because the patron left it",
    "void": "is returned, because the round or the hand was void",
    "unknown": "cannot be settled by what is on file or on record",
    "late": "was placed too late, and does not play",
    "withdrawn": "was withdrawn or refused in time, and does not play",
    "no_wager": "is not on record as placed",
}
"""Each outcome of a wager without a paytable line, in words."""


class CitedSection(msgspec.Struct, frozen=True):
    """A section and its content; `found`: a finding cites it."""

    section: str
    says: tuple[str, ...]
    found: bool


def sections(judged: Adjudication, book: Rulebook | str, seat: int | None) -> list[CitedSection]:
    """Return the sections that the findings and the settlements (of a seat, if given) cite."""
    if isinstance(book, str):
        return []
    said: dict[str, list[str]] = {}
    found = {finding.cite for finding in judged.findings}
    for finding in judged.findings:
        said.setdefault(finding.cite, []).append(rule_of(finding, book))
    for settlement in judged.settlements:
        if seat in (None, settlement.seat):
            said.setdefault(settlement.cite, []).append(settled(settlement, book))
    return [CitedSection(cite, tuple(dict.fromkeys(each)), cite in found) for cite, each in said.items()]


def rule_of(finding: Finding, book: Rulebook) -> str:
    """Return the text of a finding's rule: of several with its code, the one with its section."""
    rules = [each for each in rules_of(book.chapter) if finding.code in each.codes]
    on = [each for each in rules if any(_cites(book, section, finding.cite) for section in each.on)]
    for each in (*on, *rules):
        if each.evaluate.__doc__:
            return f"{finding.code}: {' '.join(each.evaluate.__doc__.split())}"
    return finding.code


def _cites(book: Rulebook, section: str, cite: str) -> bool:
    return section != "*" and book.chapter.has(section) and str(book.cite(section)) == cite


def settled(settlement: Settlement, book: Rulebook) -> str:
    """Return how a wager is settled by the rules on file."""
    offer = book.offers.get(settlement.wager.removesuffix("_envy") + ("_bonus" if settlement.wager == "fortune_envy" else ""))
    paytable = offer.paytable if offer is not None else None
    envy = settlement.wager.endswith("_envy")
    line = next((each for each in paytable.lines if each.hand == settlement.line), None) if paytable is not None else None
    name = wager_with_number(settlement.wager, settlement.number)
    if line is not None and paytable is not None:
        return f"{name}, paytable {paytable.name}: {plain(line.hand)} pays {_pays(line, envy)}."
    odds = book.chapter.wagers[settlement.wager].odds if settlement.wager in book.chapter.wagers else None
    says = OUTCOMES.get(settlement.line, plain(settlement.line))
    return f"{name} {says.format(odds=f'{odds.numerator} to {odds.denominator}' if odds else 'as the chapter says')}."


def _pays(line: PayLine, envy: bool) -> str:
    if envy:
        return f"an Envy Bonus of {show_money(line.envy_cents, thousands=True)}"
    if line.push:
        return "nothing, and the wager is returned"
    if line.odds is not None:
        return f"{line.odds.numerator} to {line.odds.denominator}"
    parts = [f"{line.meter_bp / 100:g} % of the meter"] if line.meter_bp else []
    parts += [show_money(line.amount_cents, thousands=True)] if line.amount_cents else []
    return " and ".join(parts) or "nothing"
