"""What spans the rounds of a game that is dealt shoe by shoe: batches, burn and cover cards, barred patrons (§§ 686a.3-686a.7).

Invariant: as in `table_state.py`, which keeps it, it is plain data and judges nothing. A shuffle that is not on
record may have happened wherever a round's record does not cover shuffles: then what was known of a batch is forgotten.
"""

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec

from events.vocabulary import model
from rulebook.chapters.rulebook import RulesRefused, chapter, known_chapters
from rulebook.chapters.submission import read_toml

Place = int | Literal["dealer", "start"]


Left = model.CardsDealt | model.CardBurned | model.CardFoundFaceUp
LEAVES_THE_SHOE = get_args(Left)
"""How a card leaves the shoe: to a hand or, burnt or found face up, to the discard rack."""


def cards_of(event: Left) -> Sequence[str | None]:
    """Return the cards that left the shoe, in order; one that was not read is None."""
    return event.cards if isinstance(event, model.CardsDealt) else (event.card,)


def on_the_table(left: Sequence[tuple[int, Left]], shuffled: int) -> dict[str, int]:
    """Return how many copies of each card a shuffle left on the table, in hands that get more cards (§ 686a.9(b))."""
    dealt = [(seq, event) for seq, event in left if isinstance(event, model.CardsDealt)]
    open_hands = {event.to for seq, event in dealt if seq > shuffled and isinstance(event.to, int)}
    copies: dict[str, int] = {}
    for seq, event in dealt:
        for card in event.cards if seq < shuffled and event.to in open_hands else ():
            if card is not None:
                copies[card] = copies.get(card, 0) + 1
    return copies


class Batch(msgspec.Struct):
    """A batch of cards since it came or was last shuffled: numbers of events (0 if none exists), and what left it.

    `known`: every round since then covered the shuffle, so that there was no other. `out` counts the copies of each card
    dealt since all its cards lay together; `cover` is the cover card's appearance, after which the batch has to be shuffled.
    """

    received: int = 0
    shuffled: int = 0
    dealt: int = 0
    cover: int = 0
    known: bool = False
    out: dict[str, int] = {}

    @property
    def fresh(self) -> bool:
        """Whether it was shuffled and no card was dealt from it since."""
        return self.shuffled > self.dealt


class ShoeState(msgspec.Struct):
    """The shoe at a table. Numbers are those of events, 0 if none exists.

    `cover_at` says where the cover card appeared in the last round; None if it did not, as far as that round's record
    covered it (`covered`). `newcomer`: a dealer who came and has not dealt yet. `placed`: the cover card was put into cards
    that were not dealt yet. `last_batch` was dealt last. `barred`: patrons, the event that barred them, and whether every
    round since covered the shuffle.
    """

    batches: dict[str, Batch] = {}
    last_card: int = 0
    burned: int = 0
    newcomer: int = 0
    placed: tuple[int, int, str] | None = None
    cover_at: Place | None = None
    covered: bool = False
    last_batch: str = ""
    barred: dict[str, tuple[int, bool]] = {}

    def copied(self) -> "ShoeState":
        """Return a copy for a round to keep."""
        batches = {name: msgspec.structs.replace(batch, out=dict(batch.out)) for name, batch in self.batches.items()}
        return msgspec.structs.replace(self, batches=batches, barred=dict(self.barred))

    def receive(self, seq: int, deck: str) -> None:
        """A batch came to the table, whole."""
        self.batches[deck] = Batch(received=seq, known=True)

    def gather(self, deck: str) -> None:
        """All cards of a batch lay together on the table: it was spread, or washed."""
        if deck in self.batches:
            self.batches[deck].out = {}

    def shuffle(self, seq: int, deck: str) -> None:
        """A batch was shuffled, in a round or between rounds."""
        before = self.batches.get(deck, Batch())
        self.batches[deck] = Batch(shuffled=seq, dealt=before.dealt, known=True)

    def new_dealer(self, seq: int) -> None:
        """Another dealer took over, after cards were dealt at the table."""
        self.newcomer = seq

    def burn(self, seq: int) -> None:
        """A card went from the shoe to the discard rack unseen."""
        self.burned, self.newcomer = seq, 0

    def place(self, seq: int, event: model.CoverCardPlaced) -> None:
        """The cover card was put into the cards."""
        self.placed = seq, event.depth, event.counted_from

    def bar(self, seq: int, patron: str) -> None:
        """A patron was barred from wagering."""
        self.barred[patron] = seq, True

    def round_over(self, deck: str, left: Sequence[tuple[int, Left]], reached: tuple[int, Place] | None, covered: bool) -> int:
        """Apply the end of a round: the cards that left the shoe, the place of the cover card, and whether the record covers
        the shuffle.

        Return the event up to which bars on a batch ended; 0 if no shoe began.

        A card dealt right after a copy of it was found face up may be that copy, and is not counted again (D163).
        """
        batch = self.batches.setdefault(deck, Batch())
        began = batch.fresh or batch.received > batch.dealt
        bars_until = max(batch.received, batch.shuffled, self.last_card)
        batch.out = batch.out if deck == self.last_batch else {}
        for card, copies in on_the_table(left, batch.shuffled).items():
            batch.out[card] = batch.out.get(card, 0) + copies
        face_up: str | None = None
        for seq, event in left:
            for code in cards_of(event) if seq > batch.shuffled else ():
                if code is not None and code != face_up:
                    batch.out[code] = batch.out.get(code, 0) + 1
                face_up = code if isinstance(event, model.CardFoundFaceUp) else None
        dealt = [seq for seq, event in left if isinstance(event, model.CardsDealt)]
        if dealt:
            self.last_card = batch.dealt = dealt[-1]
            self.last_batch = deck
            self.covered, self.cover_at = covered, reached[1] if reached is not None else None
            self.newcomer = self.newcomer if self.newcomer > self.last_card else 0
            self.placed = self.placed if self.placed is not None and self.placed[0] > self.last_card else None
            if began:
                self.barred = {patron: bar for patron, bar in self.barred.items() if bar[0] > bars_until}
        if not covered:
            self.barred = {patron: (seq, False) for patron, (seq, _) in self.barred.items()}
            for other in self.batches.values():
                other.known, other.cover, other.out = False, 0, {}
        if reached is not None and reached[0] > batch.shuffled:
            batch.cover = reached[0]
        return bars_until if dealt and began else 0


def deals_from_shoes(toml: str) -> bool:
    """Return whether a rules submission is of a game with several decks, dealt shoe by shoe.

    >>> deals_from_shoes('chapter = "pa-686a"'), deals_from_shoes('chapter = "pa-688a"'), deals_from_shoes("?")
    (True, False, False)
    """
    try:
        key = read_toml(toml, "rules_filed").get("chapter")
    except RulesRefused:
        return False
    return isinstance(key, str) and key in known_chapters() and chapter(*key.split("-", 1)).numbers.get("copies", 1) > 1
