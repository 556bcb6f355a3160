"""Advice on an open round in words: what to correct, and what each wager is due. Pure."""

import msgspec

from replay.advice import Advice
from replay.incidents import incidents
from replay.narrative.incidents import incident_sentence
from replay.narrative.names import capitalized, position_name, readable, wager_with_number
from replay.narrative.reckoning import SettledWager, action, bank_in, due_reckoning

PHASES = {
    "between rounds": "Between rounds",
    "betting": "Wagers open",
    "no more bets": "No more bets",
    "dealing": "Cards being dealt",
    "setting the hands": "Hands being set",
    "settling": "Wagers being settled",
    "voided": "Void",
}
"""Phase of an open round → how the floor says it."""
DUE_AT_A_TIME = 12
"""This many wagers of a round are named; the tile of a table has no room for more."""


def phase_name(phase: str) -> str:
    """Return the phase of an open round.

    >>> phase_name("setting the hands")
    'Hands being set'
    """
    return PHASES.get(phase) or capitalized(phase)


def warning_sentences(advice: Advice, currency: str) -> list[str]:
    """Return the errors in an open round, gravest first, each with its money."""
    made = sorted(incidents(advice.warnings), key=lambda incident: incident.gravity)
    return [incident_sentence(incident, currency) for incident in made]


def remedies(advice: Advice, currency: str) -> list[str]:
    """Return what to do in an open round, by incident: whom to pay, or what the rule requires if no money is wrong."""
    sentences: list[str] = []
    for incident in sorted(incidents(advice.warnings), key=lambda each: each.gravity):
        money = [
            action(each.difference_cents or 0, each.seat, bank=bank_in(each.observed), currency=currency)
            for each in incident.findings
        ]
        cause = incident.cause
        asked = f"The rule asks: {readable(cause.expected, currency)} ({cause.cite})."
        sentences += [each for each in money if each] or [asked]
    return sentences


def due_sentences(advice: Advice, currency: str) -> list[str]:
    """Return what each wager of an open round is due, with the reckoning: `Seat 3 · Base: $25.00 at 1 to 1 pays $25.00 (win)`."""
    return [
        f"{capitalized(position_name(due.seat))} · {wager_with_number(due.wager, due.number)}: "
        f"{due_reckoning(msgspec.convert(due, SettledWager, from_attributes=True), advice.chapter, currency)}"
        for due in advice.dues[:DUE_AT_A_TIME]
    ]
