"""The plain statements, which state only an event's fields: one table for reading and writing them.

A field is taken from the words of a line and given back as words. What can be anywhere in a line (`seat=3`, `id=x`, a word of a
closed list) is taken first, then the rest in the order of the row. Statements that depend on what came before them, or become
several events, are in `read.py`, `play.py`, `games.py` and `write.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from events.vocabulary import model
from events.vocabulary.model import Aspect, Event, fact
from replay.transcript.read import FLOOR, STATEMENTS, Context, bettor_of, wager_named
from replay.transcript.words import Words
from rulebook.chapters.money import show_money

Taken = Mapping[str, Any]
"""The fields of the event that were taken before, by name."""


class EventField(NamedTuple):
    """A field of an event: its name, how it is taken from a line, and how it is written."""

    name: str
    take: Callable[[Words, Context, Taken], Any]
    write: Callable[[Any], str]
    anywhere: bool = False


class PlainStatement(NamedTuple):
    """A keyword, its event, its fields in writing order, and the aspect that it covers."""

    keyword: str
    event: type[Event]
    fields: tuple[EventField, ...]
    aspect: Aspect | None = None

    def read(self, words: Words, context: Context) -> Sequence[Event]:
        """Return the event of a line."""
        taken: dict[str, Any] = {}
        for field in sorted(self.fields, key=lambda field: not field.anywhere):
            taken[field.name] = field.take(words, context, taken)
        return [fact(self.event, **taken)]

    def write(self, event: Any) -> str:
        """Return the line of an event."""
        written = (field.write(getattr(event, field.name)) for field in self.fields)
        return " ".join((self.keyword, *filter(None, written)))


def position_text(position: int | str) -> str:
    """Return a position as a line has it."""
    return f"seat={position}" if isinstance(position, int) else position


def _word(name: str, what: str) -> EventField:
    return EventField(name, lambda words, *_: words.take(what), str)


def _choice(name: str, *allowed: str, default: str | None = None) -> EventField:
    return EventField(name, lambda words, *_: words.one_of(allowed, default), str, anywhere=True)


def _either(name: str, yes: str, no: str, default: str | None = None) -> EventField:
    """A yes or no, each with a word of its own."""
    allowed = (yes, no)
    return EventField(
        name, lambda words, *_: words.one_of(allowed, default) == yes, lambda value: allowed[not value], anywhere=True
    )


def _flag(name: str, word: str, *, set_: object, unset: object) -> EventField:
    """A field with two values: with the word, and without it."""

    def take(words: Words, context: Context, taken: Taken) -> object:
        return set_ if words.flag(word) else unset

    return EventField(name, take, lambda value: word if value == set_ else "", anywhere=True)


def _option(name: str, key: str, default: str) -> EventField:
    return EventField(name, lambda words, *_: words.option(key) or default, lambda value: f"{key}={value}", anywhere=True)


def _count(name: str, default: int | None, most: int) -> EventField:
    """A number that is named only if it is not the default."""

    def take(words: Words, context: Context, taken: Taken) -> int | None:
        given = words.option(name)
        return default if given is None else words.as_number(given, "a count", 0, most)

    return EventField(name, take, lambda value: "" if value == default else f"{name}={value}", anywhere=True)


def _number(name: str, what: str, least: int, most: int, prefix: str = "") -> EventField:
    def take(words: Words, context: Context, taken: Taken) -> Any:
        number = words.number(what, least, most)
        return prefix + str(number) if prefix else number

    return EventField(name, take, lambda value: str(value).removeprefix(prefix))


SEAT: Final = EventField("seat", lambda words, *_: words.seat(), lambda seat: f"seat={seat}", anywhere=True)
BETTOR: Final = EventField(
    "bettor",
    lambda words, context, taken: bettor_of(words, context, taken["seat"]),
    lambda bettor: f"bettor={bettor}",
    anywhere=True,
)
WAGER: Final = EventField("wager", lambda words, context, _: wager_named(words, context), str)
MONEY: Final = EventField("amount_cents", lambda words, *_: words.money(), show_money)
CARD: Final = EventField("card", lambda words, *_: words.card(), lambda card: card or "??")
POSITION: Final = EventField("position", lambda words, *_: words.position(), position_text)
BY: Final = POSITION._replace(name="by")
FROM_BOTTOM: Final = _flag("counted_from", "from_bottom", set_="bottom", unset="top")
SLIP: Final = _option("document", "id", "slip-1")
NOT_PLACED: Final = _flag("placed_right_of_dealer", "not_placed", set_=False, unset=True)
BY_DEVICE: Final = _flag("announced_by", "device", set_="device", unset="dealer")
HAND: Final = EventField("position", lambda words, context, _: context.where(words.position()), position_text)
DECK: Final = EventField(
    "deck", lambda words, context, _: words.option("deck") or context.deck, lambda deck: f"deck={deck}", anywhere=True
)

PLAIN: Final = (
    PlainStatement("dealer", model.DealerTappedIn, (_word("dealer", "a dealer"),)),
    PlainStatement("shift", model.ShiftChanged, (_word("shift", "a shift"),)),
    PlainStatement(
        "shuffle",
        model.CardsShuffled,
        (_word("method", "manual or automated"), DECK, _count("count", None, 1_000_000)),
        "shuffle",
    ),
    PlainStatement("offer_cut", model.CutOffered, (SEAT, _either("accepted", "accepted", "refused")), "shuffle"),
    PlainStatement("cut", model.CardsCut, (BY, _number("depth", "cards", 0, 1_000_000), FROM_BOTTOM), "shuffle"),
    PlainStatement("recut_ordered", model.RecutOrdered, (_option("by", "by", FLOOR),), "shuffle"),
    PlainStatement("activate", model.ShakerActivated, (SEAT,), "start"),
    PlainStatement("total", model.TotalAnnounced, (_number("total", "a total", 0, 99),)),
    PlainStatement("start", model.StartAnnounced, (POSITION,)),
    PlainStatement("shaker_covered", model.ShakerCovered, (NOT_PLACED,), "start"),
    PlainStatement("no_more_bets", model.NoMoreBets, (BY_DEVICE,), "wagering"),
    PlainStatement("lammer", model.LammerPlaced, (SEAT, WAGER), "envy"),
    PlainStatement("touched", model.WagerHandled, (SEAT, WAGER), "wagering"),
    PlainStatement("offer_position", model.PlayerDealerOffered, (SEAT, _either("accepted", "accepted", "declined")), "rotation"),
    PlainStatement("pile", model.PileSelected, (_number("pile", "a pile", 1, 7, "pile-"),), "deal"),
    PlainStatement("action", model.ActionButtonPlaced, (SEAT,), "start"),
    PlainStatement("drawn_in_error", model.CardDrawnInError, (CARD,)),
    PlainStatement("found_face_up", model.CardFoundFaceUp, (CARD,)),
    PlainStatement("found_boxed", model.BoxedCardFound, (CARD, _either("used", "used", "aside", default="used"))),
    PlainStatement("elect", model.HandElected, (SEAT, _choice("election", "play", "void"))),
    PlainStatement("stub", model.StubCounted, (_number("count", "cards", 0, 400), _count("exposed", 0, 53)), "stub"),
    PlainStatement("examine", model.HandExamined, (SEAT,), "setting"),
    PlainStatement("surrender", model.Surrendered, (SEAT,)),
    PlainStatement("decide", model.DecisionMade, (SEAT, _choice("decision", "raise", "fold", "over", "under"))),
    PlainStatement("reveal", model.HandRevealed, (HAND,), "setting"),
    PlainStatement("announce", model.ResultAnnounced, (SEAT, WAGER, _choice("result", "win", "lose", "tie")), "setting"),
    PlainStatement("acknowledge", model.EnvyAcknowledged, (SEAT,), "envy"),
    PlainStatement("light", model.LightSeen, (SEAT,), "progressive"),
    PlainStatement("document", model.PayoutDocumented, (SEAT, WAGER, MONEY, SLIP), "progressive"),
    PlainStatement("vigorish", model.VigorishTaken, (SEAT, BETTOR, MONEY)),
    PlainStatement("abandon", model.WagerAbandoned, (SEAT, BETTOR)),
    PlainStatement("collection", model.CollectionTaken, (SEAT, BETTOR, MONEY), "fees"),
    PlainStatement("close", model.RoundClosed, (_option("by", "by", "dealer"),), "settlement"),
)
"""The statements, in the order in which a round has them."""

STATEMENTS.update({each.keyword: (each.aspect, each.read) for each in PLAIN})
