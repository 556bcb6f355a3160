"""Simulated floors for the tests of the wings: each is simulated once, and its drafts are kept as a log stores them."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.day.gaming_day import Simulation, simulate
from rulebook.cards.cards import CODE
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook, parse_submission

DOCS = Path(__file__).parents[2] / "docs"
ROUNDS = {
    "face_up_pai_gow": 2000,
    "pai_gow_poker": 2000,
    "fortune_asia": 2000,
    "over_under": 1500,
    "dj_wild": 1600,
    "player_dealer": 2000,
}
"""Game → how many rounds are simulated for it."""
SEED = 20


def stored(simulation: Simulation) -> dict[str, list[Draft]]:
    """The drafts of each stream, messages that were sent twice once."""
    kept: dict[str, dict[str, Draft]] = {}
    for stream, drafts in simulation.groups():
        of_stream = kept.setdefault(stream, {})
        for draft in drafts:
            of_stream.setdefault(draft.event_id, draft)
    return {stream: list(drafts.values()) for stream, drafts in kept.items()}


@cache
def _day(game: str) -> tuple[Simulation, dict[str, list[Draft]]]:
    simulation = simulate(SEED, ROUNDS[game], games=(game,))
    return simulation, stored(simulation)


@cache
def _labeled(game: str, codes: tuple[str, ...]) -> frozenset[tuple[str, int | None]]:
    labels = _day(game)[0].labels
    return frozenset((f"table/{label.table}", label.round_no) for label in labels if label.code.startswith(codes))


class Floor(NamedTuple):
    """The floor of one game, simulated once."""

    game: str

    @property
    def simulation(self) -> Simulation:
        return _day(self.game)[0]

    @property
    def streams(self) -> dict[str, list[Draft]]:
        """What it stores."""
        return _day(self.game)[1]

    @property
    def tables(self) -> dict[str, list[Draft]]:
        """What its tables store."""
        return {stream: drafts for stream, drafts in self.streams.items() if stream.startswith("table/")}

    def labeled(self, *codes: str) -> frozenset[tuple[str, int | None]]:
        """The rounds, by their table's stream, in which a fault of such a code (or beginning of one; any, if none) is planted."""
        return _labeled(self.game, codes or ("",))


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
        codes = {code.strip() for row in rows for code in row.split(",") if "-" in code and code.strip().isupper()}
        found |= {f"PAY{code}" if code.startswith("-") else code for code in codes}
    return found - {"LOG-ROUND-REPEAT", "LOG-FILING", "LOG-OBSERVED-DIFFERS", "LOG-PINNED-RULES"}
