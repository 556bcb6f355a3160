"""The order of the steps of a round: acts that were done before the step that they must follow (docs/evidence.md, D520).

Invariant: it knows no game. The game's record holds the chapter's sentences (`GameRules.precedences`); `round_steps.py`
defines acts and steps.
"""

from collections.abc import Iterator

from replay.fold.preparations import deck_at_the_deal, preparations
from replay.fold.round import Round
from replay.fold.table_state import Deck
from replay.rules.catalogue import GAME_RULES
from replay.rules.equipment import first_round_of_deck
from replay.rules.round_steps import Act, Precedence
from replay.rules.rule import EVERY_CHAPTER, Departure, rule
from replay.settlement.voids import is_void
from rulebook.chapters.rulebook import Rulebook

CALLS = ("PAY-ANNOUNCED", "PAY-ENVYCALL")
"""The codes of what the dealer says aloud."""
CODES = (
    "PAY-EARLY",
    "PAY-ORDER",
    "PAY-REVEAL",
    "PAY-ANNOUNCED",
    "PAY-ENVYCALL",
    "DEAL-RACK",
    "DEAL-BURN",
    "DEAL-STUB",
    "DEAL-SIDE",
    "DEAL-SHAKE",
    "DEAL-ELECTION",
    "SET-EARLY",
    "PLAY-ORDER",
    "WAGER-LATE",
    "CA-BUTTON",
    "CA-PILE",
)
"""The codes of what is done before its step."""


@rule(*CODES, on=EVERY_CHAPTER)
def steps_in_order(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Each act comes after the step that the chapter puts before it; the first act of a wager, and the first step, are named.

    A payment made before its outcome was known gives one finding, not a second for the missing announcement. The rule skips
    void rounds, since all their wagers are returned.
    """
    reported: set[tuple[str, int | None, str | None, str]] = set()
    early: set[int] = set()
    asked = round_.order_seen and not is_void(round_, book)
    for precedence in GAME_RULES[book.game].precedences if asked else ():
        section = precedence.section if isinstance(precedence.section, str) else precedence.section[book.deal_method]
        if not book.has(section):
            continue
        for act, step in precedence.after.acts_before(round_, book, precedence.acts):
            of = precedence.code, act.seat, act.wager, act.word if precedence.code == "PAY-EARLY" else ""
            if of in reported:
                continue
            if precedence.code in CALLS and act.fact.seq in early:
                continue
            reported.add(of)
            if precedence.code == "PAY-EARLY":
                early.add(act.fact.seq)
            yield Departure(
                section,
                code=precedence.code,
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


@rule("OPEN-SPREAD", on=("4(b)", "4(c)"))
def opened_in_order(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Before its first round a deck is inspected, then spread, then washed (§ 688a.4(a)-(c))."""
    deck = first_round_of_deck(round_)
    if deck is None or deck.preshuffled:
        return
    for earlier, later, expected in (
        (deck.inspected_seq, deck.spread_seq, "the deck inspected before it is spread"),
        (deck.spread_from_seq, deck.washed_seq, "the deck spread before it is washed"),
    ):
        if earlier and later and later < earlier:
            yield Departure("4(b)", expected=expected, observed="after it", evidence=(later, earlier, round_.opened.seq))


def _wash_section(round_: Round, book: Rulebook, deck: Deck) -> str:
    """Return the section that asks for the shuffle: of the opening, of a table without players, else of every round."""
    if not deck.used and book.has("4(c)"):
        return "4(c)"
    return "5(g)" if round_.before.idle and book.has("5(g)") and not book.exempt("5(g)") else "5(a)"


@rule("DEAL-SHUFFLE", on=("4(c)", "5(g)", "5(a)"))
def shuffled_after_the_wash(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Cards that were spread and washed are shuffled before they are dealt (§§ 688a.4(c), 688a.5(g)).

    If no shuffle is on record at all, `equipment.py` finds it.
    """
    deck, first = deck_at_the_deal(round_), round_.first_card
    shuffles = [step.seq for step in preparations(round_) if step.kind == "shuffle"]
    if deck is None or first is None or not shuffles or not round_.covers("shuffle"):
        return
    mixed = deck.mixed_seq
    if mixed > max(shuffles):
        yield Departure(
            _wash_section(round_, book, deck),
            expected="the cards shuffled after they were spread and washed",
            observed="shuffled before it only",
            evidence=(max(shuffles), mixed, first),
        )
