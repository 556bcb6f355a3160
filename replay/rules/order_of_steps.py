"""The order of the steps of a round: what stands before the step that it comes after (docs/evidence.md, D520).

The law of this file: it knows no game. The sentences of a chapter stand in its game's record (`GameRules.precedences`); what an
act and a step are is in `round_steps.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from games.rulebook.rulebook import Rulebook
from replay.findings import Finding
from replay.fold.round import Round
from replay.rules.catalogue import GAME_RULES
from replay.rules.round_steps import Act, Precedence
from replay.rules.rule import EVERY_CHAPTER, finding, rule
from replay.settlement.settlement import is_void


@rule("PAY-EARLY", on=EVERY_CHAPTER)
def steps_in_order(round_: Round, book: Rulebook) -> Iterator[Finding]:
    """Each act comes after the step that the chapter puts before it; the first act of a wager, and the first step, are named.

    In a void round nothing is asked: its wagers go back, whatever had come before.
    """
    reported: set[tuple[str, int | None, str | None, str]] = set()
    for precedence in GAME_RULES[book.game].precedences if not is_void(round_, book) else ():
        if not book.has(precedence.section):
            continue
        for act in precedence.acts(round_, book):
            step = precedence.after.of(round_, book, act)
            of = precedence.code, act.seat, act.wager, act.word
            if step is not None and act.fact.seq < step.seq and of not in reported:
                reported.add(of)
                yield finding(
                    round_,
                    book,
                    precedence.code,
                    precedence.section,
                    expected=_expected(precedence, act),
                    observed=f"{act.word} before" if act.word else "before it",
                    evidence=(act.fact, step),
                    seat=act.seat,
                    wager=act.wager,
                )


def _expected(precedence: Precedence, act: Act) -> str:
    return f"{precedence.what or _settled(act)} after {precedence.after.name}"


def _settled(act: Act) -> str:
    return f"{act.wager} settled"
