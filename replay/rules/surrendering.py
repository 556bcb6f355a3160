"""Surrenders: what says that there was one, which of them count, and which were not allowed (58 Pa. Code § 688a.11(d))."""

from __future__ import annotations

from collections.abc import Iterator

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding
from replay.fold.table_fold import Round
from replay.fold.table_state import Fact, firsts
from replay.rules.rule import finding, rule
from replay.rules.wagering import stakes


def surrenders(round_: Round, book: Rulebook) -> list[Fact]:
    """Return what says that a box was surrendered: that the player did, or that its wager was taken as such (D111, D322)."""
    if "surrenders" in round_.memo:
        known: list[Fact] = round_.memo["surrenders"]
        return known
    said: dict[int, Fact] = {fact.payload.seat: fact for fact in firsts(round_.of(model.Surrendered), "seat")}
    for fact in round_.of(model.WagerTaken) if book.has("11(d)") or book.has("686a.7(g)") else ():
        if fact.payload.reason == "surrendered":
            said.setdefault(fact.payload.seat, fact)
    found = round_.memo["surrenders"] = list(said.values())
    return found


def surrendered(round_: Round, book: Rulebook) -> list[Fact]:
    """Return the surrenders that count: of a base wager that was paid or given back before nothing is left to give up (D341)."""
    return [fact for fact in surrenders(round_, book) if _settled_before(round_, book, fact) is None]


def _settled_before(round_: Round, book: Rulebook, surrender: Fact) -> Fact | None:
    """Return what paid or gave back a base wager before its surrender, or null."""
    taken = False
    for fact in round_.in_order(model.WagerTaken, model.WagerPaid, model.WagerReturned):
        event, late = fact.payload, getattr(fact.payload, "reason", "") == "late"
        if fact.seq >= surrender.seq:
            return None
        if late or (event.seat, event.wager) != (surrender.payload.seat, book.chapter.base):
            continue
        if isinstance(event, model.WagerPaid) or (isinstance(event, model.WagerReturned) and not taken):
            return fact
        taken = isinstance(event, model.WagerTaken)  # what was taken and put back lies there again
    return None


@rule("WAGER-SURRENDER", on=("11(d)",))
def surrender(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Only without optional wagers, after the dealer's hands are set and before any of the player's is exposed (D11).

    Wagers on the dice are settled before the cards, and hinder nobody (§ 645c.2(h), D317).
    """
    said = surrenders(round_, book)
    if not said:
        return
    over = {book.chapter.base, *(name for name, rule_ in book.chapter.wagers.items() if rule_.closes == "activation")}
    dealer_set = next((fact for fact in round_.of(model.HandSet) if fact.payload.position == "dealer"), None)
    for fact in said:
        seat = fact.payload.seat
        optional = [
            stake.wager for stake in stakes(round_, book).values()
            if stake.seat == seat and stake.wager not in over and stake.on_layout_cents > 0
        ]  # fmt: skip
        revealed = next((each for each in round_.of(model.HandRevealed) if each.payload.position == seat), None)
        settled = _settled_before(round_, book, fact)
        if optional:
            observed = "surrendered with " + ", ".join(optional)
        elif dealer_set is not None and fact.seq < dealer_set.seq:
            observed = "surrendered before the dealer's hands were set"
        elif revealed is not None and revealed.seq < fact.seq:
            observed = "surrendered after the hands were revealed"
        elif settled is not None:
            observed = "surrendered after the wager was settled"
        else:
            continue
        yield finding(
            round_, book, "WAGER-SURRENDER", "11(d)",
            expected="a surrender without optional wagers, between the dealer's setting and the reveal",
            observed=observed, evidence=[each for each in (fact, revealed, settled) if each is not None], seat=seat,
        )  # fmt: skip
