"""Simulated floors for the tests of the wings: each is simulated once, and its drafts are kept as a log stores them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import Simulation, simulate
from rulebook.cards.cards import CODE
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook, parse_submission

DOCS = Path(__file__).parents[2] / "docs"
DAYS = {
    "face_up_pai_gow": ((20,), 2000),
    "pai_gow_poker": ((20,), 2000),
    "fortune_asia": ((20,), 2000),
    "over_under": ((20,), 1500),
    "dj_wild": ((20,), 1600),
    "player_dealer": ((20,), 2000),
}
"""Game → the seeds that are simulated for it, and how many rounds."""


@cache
def simulated(game: str, seed: int, rounds: int) -> Simulation:
    """A floor of one game."""
    return simulate(seed, rounds, games=(game,))


def stored(simulation: Simulation) -> dict[str, list[Draft]]:
    """The drafts of each stream, messages that were sent twice once."""
    kept: dict[str, dict[str, Draft]] = {}
    for stream, drafts in simulation.groups():
        of_stream = kept.setdefault(stream, {})
        for draft in drafts:
            of_stream.setdefault(draft.event_id, draft)
    return {stream: list(drafts.values()) for stream, drafts in kept.items()}


@cache
def streams(game: str, seed: int, rounds: int) -> dict[str, list[Draft]]:
    """What a floor of one game stores."""
    return stored(simulated(game, seed, rounds))


@cache
def tables(game: str, seed: int, rounds: int) -> dict[str, list[Draft]]:
    """What its tables store."""
    return {stream: drafts for stream, drafts in streams(game, seed, rounds).items() if stream.startswith("table/")}


def paid_lines(
    tables: dict[str, list[Draft]], line_of: Callable[[str, Paytable, list[int], list[int]], str | None]
) -> set[tuple[str, str, str]]:
    """The lines of the paytables in force that wagers won, by the cards dealt: wager, paytable, hand.

    `line_of` gives the line that a wager wins by its paytable, a hand and the dealer's cards; None if it wins none.
    """
    won: set[tuple[str, str, str]] = set()
    for drafts in tables.values():
        day, filed = "", dict[str, Rulebook]()
        hands: dict[object, list[int]] = {}
        wagers: set[tuple[int, str]] = set()
        for draft in drafts:
            match draft.payload:
                case model.GamingDayOpened(gaming_day=day):
                    pass
                case model.RulesFiled(effective_gaming_day=effective, toml=toml):
                    filed[effective] = parse_submission(toml)
                case model.RoundOpened():
                    hands, wagers = {}, set()
                case model.WagerPlaced(seat=seat, wager=wager):
                    wagers.add((seat, wager))
                case model.CardsDealt(to=to, cards=cards):
                    hands.setdefault(to, []).extend(CODE[card] for card in cards if card is not None)
                case model.RoundClosed() if len(dealer := hands.get("dealer", [])) == 7:
                    book = filed[max(each for each in filed if each <= day)]
                    for seat, wager in wagers:
                        paytable, hand = book.offers[wager].paytable, hands.get(seat, [])
                        if paytable is not None and len(hand) == 7:
                            line = line_of(wager, paytable, hand, dealer)
                            won |= {(wager, paytable.name, line)} if line else set()
    return won


def documented(*names: str) -> set[str]:
    """The codes in the tables of these pages, which say what shows each fault, but for those that are no edit of a script.

    The second record of a round is another history (`tests/replay/run/test_round_repeat.py`), no simulated office files rules
    (`tests/replay/run/test_office_filing.py`), and no one observes a simulated round (`test_observed_rounds.py`).
    """
    found: set[str] = set()
    for name in names:
        text = DOCS.joinpath(name).read_text(encoding="utf-8")
        rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
        found |= {code.strip() for row in rows for code in row.split(",") if "-" in code and code.strip().isupper()}
    return found - {"LOG-ROUND-REPEAT", "LOG-FILING", "LOG-OBSERVED-DIFFERS", "LOG-PINNED-RULES"}
