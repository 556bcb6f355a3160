"""Surrenders: what says that there was one, which of them count, and which were not allowed (58 Pa. Code § 688a.11(d))."""

from __future__ import annotations

from collections.abc import Iterator

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.findings import Finding
from replay.fold.round import Round
from replay.rules.rule import finding, rule
from replay.settlement.stakes import stakes
from replay.settlement.surrenders import _settled_before, surrenders


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
            stake.wager
            for stake in stakes(round_, book).values()
            if stake.seat == seat and stake.wager not in over and stake.on_layout_cents > 0
        ]
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
            round_,
            book,
            "WAGER-SURRENDER",
            "11(d)",
            expected="a surrender without optional wagers, between the dealer's setting and the reveal",
            observed=observed,
            evidence=[each for each in (fact, revealed, settled) if each is not None],
            seat=seat,
        )
