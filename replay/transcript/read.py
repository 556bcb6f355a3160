"""The statements of a transcript: the events of each keyword. `docs/transcript.md` is the grammar.

Invariant: a statement only becomes events; parts left out get the documented default.
"""

from collections.abc import Callable, Sequence
from typing import Any, cast

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event, fact
from replay.fold.table_state import NOT_STATED
from replay.fold.wager_keys import Key, key_of
from replay.transcript.words import Position, Words
from rulebook.catalogue import wager_names
from rulebook.chapters.rulebook import Rulebook

FLOOR = "floor-1"
DECK = "d-1"
"""The deck of a round if none is named."""


class Context:
    """The part of a transcript so far on which the defaults of later statements depend."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self.deck = DECK
        self.deck_is_named = False
        self.decks: set[str] = set()
        self.meter_seq = 0
        self.patrons: dict[int, str] = {}
        self.last_bettors: dict[int, str] = {}
        self.bettors: dict[tuple[int, str], list[str]] = {}
        self.stakes: dict[Key, int] = {}
        self.refusals: dict[Key, set[int]] = {}
        self.dealt: dict[Position, list[str | None]] = {}
        self.side: str | None = None
        self.player_dealer: int | None = None
        self.round_no, self.table = 1, "t-1"

    def bettor(self, seat: int, wager: str = "") -> str:
        """Return who is meant at a seat: who placed this wager last, else wagered last, else sits there; or a token."""
        named = self.bettors.get((seat, wager), ())
        return named[-1] if named else self.last_bettors.get(seat) or self.patrons.get(seat, f"seat-{seat}")

    def comer(self, seat: int) -> str:
        """Return who wagers at a seat if no name is given: who sits there, or the unnamed bettor who wagered before."""
        nameless = f"seat-{seat}"
        return nameless if self.last_bettors.get(seat) == nameless else self.patrons.get(seat, nameless)

    def take_deck(self) -> None:
        """Deal from the only deck at the table, where the round names none and the last one is not there (D381)."""
        if not self.deck_is_named and self.deck not in self.decks and len(self.decks) == 1:
            (self.deck,) = self.decks

    def remove_stake(self, key: Key, cents: int) -> None:
        """Take an amount, in cents, off a stake."""
        if key in self.stakes:
            self.stakes[key] = max(0, self.stakes[key] - cents)

    def add_stake(self, key: Key, cents: int) -> None:
        """Add an amount, in cents, to a stake."""
        self.stakes[key] = self.stakes.get(key, 0) + cents
        self.refusals.pop(key, None)

    def refuse_stake(self, key: Key, cents: int) -> None:
        """Take a refused amount off a stake; the same amount again, with nothing placed since, is a repeated report."""
        amounts = self.refusals.setdefault(key, set())
        if cents not in amounts:
            amounts.add(cents)
            self.remove_stake(key, cents)

    def new_round(self) -> None:
        """Forget what belongs to one round."""
        self.last_bettors, self.bettors, self.stakes, self.refusals, self.dealt = {}, {}, {}, {}, {}
        self.side = self.player_dealer = None
        self.deck_is_named = False

    def where(self, position: Position) -> Position:
        """Return the position that is meant: in California `dealer` is the player-dealer's seat, once it is known."""
        if position != "dealer" or self.player_dealer is None or self.book.chapter.deals_to != "seats":
            return position
        return self.player_dealer


Reader = Callable[[Words, Context], Sequence[Event]]
STATEMENTS: dict[str, tuple[Aspect | None, Reader]] = {}
"""Keyword → the aspect that such a line covers, and its reader."""


def statement(keyword: str, aspect: Aspect | None = None) -> Callable[[Reader], Reader]:
    """Register the reader of a keyword."""

    def register(reader: Reader) -> Reader:
        STATEMENTS[keyword] = (aspect, reader)
        return reader

    return register


def wager_named(words: Words, context: Context) -> str:
    """Take the name of a wager: of the chapter, or of another game, because one of another may be placed here, too."""
    word, wagers = words.take("a wager"), context.book.chapter.wagers
    if word not in wagers and not any(word in names for names in wager_names().values()):
        raise words.error(f"expected a wager ({', '.join(wagers)}), got {word!r}")
    return word


def bettor_of(words: Words, context: Context, seat: int) -> str:
    """Take `bettor=`, or return who bets there."""
    return words.option("bettor") or context.bettor(seat)


# ------------------------------------------------------------------------------------------------------- table, equipment


@statement("equipment")
def _equipment(words: Words, context: Context) -> Sequence[Event]:
    method = cast(Any, words.take("a deal method"))
    shuffler: Any = words.take("a shuffler")
    shuffler = "none" if shuffler == "manual" else shuffler
    seats = words.option("seats")
    count = words.as_number(seats, "seats", 1, 7) if seats is not None else words.seats
    return [model.TableOpened(game=context.book.game, deal_method=method, shuffler=shuffler, seats=count)]


@statement("deck", "equipment")
def _deck(words: Words, context: Context) -> Sequence[Event]:
    deck = words.take("a deck")
    what = words.take("received, inspected, joker_destroyed, spread, washed, in_play or removed")
    by = words.option("by")
    if what in ("received", "in_play"):
        context.decks.add(deck)
        context.take_deck()
    elif what == "removed":
        context.decks.discard(deck)
    match what:
        case "received":
            jokers = words.option("jokers")
            return [
                model.DeckReceived(
                    deck=deck,
                    back_colour=words.option("back") or NOT_STATED,
                    jokers=words.as_number(jokers, "jokers", 0, 2) if jokers is not None else 1,
                    preshuffled=words.flag("preshuffled"),
                )
            ]
        case "inspected":
            return [model.DeckInspected(deck=deck, by=by or "dealer", verified_by=words.option("verified"))]
        case "joker_destroyed":
            return [model.JokerDestroyed(deck=deck, by=by or "dealer", witnessed_by=words.option("witnessed"))]
        case "spread":
            return [model.CardsSpread(deck=deck, face_up=not words.flag("face_down"), inspected_by=by)]
        case "washed":
            return [model.CardsWashed(deck=deck)]
        case "in_play":
            return [model.DeckInPlay(deck=deck)]
        case "removed":
            reasons = ("changed", "incorrect_count", "damaged", "table_closed", "device_failed", "other")
            return [model.DeckRemoved(deck=deck, reason=cast(Any, words.one_of(reasons, "changed")))]
        case _:
            raise words.error(f"expected received, inspected, joker_destroyed, …, got {what!r}")


@statement("dice_set", "equipment")
def _dice_set(words: Words, context: Context) -> Sequence[Event]:
    dice_set = words.take("a set of dice")
    if words.one_of(("received", "removed")) == "received":
        return [model.DiceReceived(dice_set=dice_set)]
    return [model.DiceRemoved(dice_set=dice_set)]


@statement("device", "equipment")
def _device(words: Words, context: Context) -> Sequence[Event]:
    device = cast(Any, words.take("a device"))
    what = words.take("a fault, alarm, covered or restored")
    if what == "covered":
        return [model.DeviceCovered(device=device, how="sign" if words.flag("sign") else "cover")]
    if what == "alarm":
        return [
            model.DeviceAlarmed(device=device, alarm=cast(Any, words.one_of(("red_light", "sound", "message", "other"), "other")))
        ]
    if what == "restored":
        return [model.DeviceRestored(device=device)]
    return [model.DeviceFailed(device=device, fault=cast(Any, what))]


@statement("seated")
def _seated(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    context.patrons[seat] = words.take("a patron")
    return [fact(model.PatronSeated, seat=seat, patron=context.patrons[seat])]


@statement("left")
def _left(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    patron = words.take("a patron") if words.rest else context.bettor(seat)
    context.patrons.pop(seat, None)
    return [fact(model.PatronLeft, seat=seat, patron=patron)]


TABLE_STATEMENTS = frozenset({"dealer", "shift", "equipment", "deck", "dice_set", "device", "seated", "left", "bar"})
"""Statements that may be before a round as well as in it."""

PREPARATIONS = frozenset({"shuffle", "offer_cut", "cut", "recut_ordered", "offer_position"})
"""Statements of what makes a round ready: after the cards of one round they are of the next (D380)."""

BEFORE_A_ROUND = TABLE_STATEMENTS | PREPARATIONS | {"cover_card", "burn", "armed"}
"""Statements after which `round N` still begins the file's first round."""


# -------------------------------------------------------------------------------------------------- shuffle, cut, the start


@statement("shake", "start")
def _shake(words: Words, context: Context) -> Sequence[Event]:
    covered = not words.flag("uncovered")
    if words.flag("ms"):
        return [model.ShakerShaken(times=None, duration_ms=words.number("milliseconds"), covered=covered)]
    return [model.ShakerShaken(times=words.number("shakes"), duration_ms=None, covered=covered)]


def _pointed(words: Words) -> list[Event]:
    if not words.flag("->"):
        return []
    word = words.take("a position")
    position = words.position(f"seat={word}" if word.isdigit() else word)
    return [fact(model.StartAnnounced, position=position)]


@statement("dice")
def _dice(words: Words, context: Context) -> Sequence[Event]:
    start = words.rest.index("->") if "->" in words.rest else len(words.rest)
    pointed, words.rest = words.rest[start:], words.rest[:start]
    lie = words.one_of(("not_flat", "fell_out", "flat"), "flat")
    total, silent = words.option("total"), words.flag("not_announced")
    dice: list[int | None] = []
    for _ in range(3):
        word = words.take("a die from 1 to 6, or ?")
        dice.append(None if word in ("?", "??") else words.as_number(word, "a die", 1, 6))
    colours = words.option("colours")
    roll = model.DiceRolled(dice=dice, colours=cast(Any, colours.split(",")) if colours else None, lie=cast(Any, lie))
    words.end()
    words.rest = pointed
    events: list[Event] = [roll]
    known = sum(die for die in dice if die is not None)
    if total is not None:
        events.append(model.TotalAnnounced(total=words.as_number(total, "a total", 0, 99)))
    elif lie == "flat" and None not in dice and not silent:
        events.append(model.TotalAnnounced(total=known))
    return events + _pointed(words)


@statement("number")
def _number(words: Words, context: Context) -> Sequence[Event]:
    most = context.book.chapter.numbers.get("drawn_number_max", model.DRAWN_MAX)
    return [fact(model.NumberDrawn, number=words.number("a number", 1, most)), *_pointed(words)]


# --------------------------------------------------------------------------------------------------------------- wagering


def amounts(words: Words, context: Context) -> list[tuple[Any, int | None, int]]:
    """Take wagers and their amounts: (wager, number of a Match wager, cents); `number=?` is a number that was not read."""
    number = words.option("number")
    pip = words.as_number(number, "a number", 1, 6) if number not in (None, "?") else None
    pairs: list[tuple[Any, int]] = []
    while words.rest:
        wager = wager_named(words, context)
        pairs.append((wager, words.money(f"the amount of {wager}")))
    if not pairs:
        raise words.error("expected a wager and an amount")
    matches = [wager for wager, _ in pairs if wager == "match"]
    if len(matches) > 1:
        raise words.error("expected one match wager in a line, because each has a number of its own")
    if matches and number is None:
        raise words.error("expected number=1 to number=6 with a match wager (number=? where it is not known)")
    return [(wager, pip if wager == "match" or not matches else None, cents) for wager, cents in pairs]


def amounts_of(words: Words, context: Context, seat: int) -> list[tuple[str, Any, int | None, int]]:
    """Read the wagers of a seat with their amounts and owners: the named person, otherwise the one who placed it (D382)."""
    named = words.option("bettor")
    pairs = amounts(words, context)
    behind = set(context.bettors.get((seat, "backline"), ()))
    if named is None and len(behind) > 1 and any(wager == "backline" for wager, *_ in pairs):
        raise words.error(f"expected bettor= with a backline wager, because {len(behind)} bet behind seat {seat}")
    return [(named or context.bettor(seat, wager), wager, pip, cents) for wager, pip, cents in pairs]


@statement("wager")
def _wager_placed(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = words.option("bettor") or context.comer(seat)
    form = cast(Any, words.one_of(("cash", "verbal", "plaque", "instrument", "chips"), "chips"))
    events: list[Event] = []
    own = False
    for wager, pip, cents in amounts(words, context):
        own = own or wager != "backline"
        placed = key_of(seat, wager, pip, bettor)
        context.add_stake(placed, cents)
        context.bettors.setdefault((seat, wager), []).append(bettor)
        events.append(fact(model.WagerPlaced, seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, form=form))
    if own:
        context.patrons.setdefault(seat, bettor)
        context.last_bettors[seat] = bettor
    return events


@statement("withdraw")
def _withdraw(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    events: list[Event] = []
    for bettor, wager, pip, cents in amounts_of(words, context, seat):
        context.remove_stake(key_of(seat, wager, pip, bettor), cents)
        events.append(fact(model.WagerRemoved, seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents))
    return events


@statement("refuse")
def _refuse(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    events: list[Event] = []
    for bettor, wager, pip, cents in amounts_of(words, context, seat):
        context.refuse_stake(key_of(seat, wager, pip, bettor), cents)
        events.append(
            fact(model.WagerRefused, seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, reason="refused")
        )
    return events


@statement("lock", "progressive")
def _lock(words: Words, context: Context) -> Sequence[Event]:
    accepted, collected = words.option("accepted"), words.option("collected")
    if accepted is None or collected is None:
        raise words.error("expected accepted=N collected=N")
    return [
        model.ProgressiveLocked(accepted=words.as_number(accepted, "a count"), collected=words.as_number(collected, "a count"))
    ]


@statement("accepted", "progressive")
def _accepted(words: Words, context: Context) -> Sequence[Event]:
    seat, reading, at = words.seat(), words.option("meter"), words.option("meter_seq")
    meter = words.option("id") or context.book.meter or "m-1"
    context.meter_seq = words.as_number(at, "a meter number", 1) if at is not None else context.meter_seq + 1
    if reading is None:
        raise words.error("expected meter=READING, the meter after this wager")
    return [
        fact(
            model.ProgressiveAccepted,
            seat=seat,
            meter=meter,
            amount_cents=words.money(),
            reading_centicents=words.as_meter(reading),
            meter_seq=context.meter_seq,
        )
    ]
