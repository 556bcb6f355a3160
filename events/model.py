"""The vocabulary: every fact a table, a property or a meter can state, as frozen strict structs.

The law of this file: an event is a past-tense fact with a permanent tag and version; it has no defaults; values are
integers, booleans, text and lists of these; money is integer cents, meters are hundredths of a cent, both within
±(2**53 - 1). Constructing a value validates it exactly as decoding its bytes does. An event records what happened,
right or wrong: whether it was right is not asked here. A field is never changed: a changed event is a new version
(see `upcast.py`). Adding a value to a closed list (a wager, a reason) is not a change of fields.

Positions are `"dealer"` or a seat from 1 (at the dealer's left) clockwise to 6; cards are `"Ks"`, `"Td"`, the joker is
`"Jk"`; a card that the reader did not read is null. Version 2 of an event that names a seat has room for a seventh
(California) and is otherwise version 1: see `seven_seats`.
"""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import msgspec
from msgspec import Meta

MAX_INT = 2**53 - 1

Count = Annotated[int, Meta(ge=0, le=MAX_INT)]
Number = Annotated[int, Meta(ge=1, le=MAX_INT)]
Amount = Annotated[int, Meta(ge=0, le=MAX_INT)]
Centicents = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
BasisPoints = Annotated[int, Meta(ge=0, le=1_000_000)]
Seat = Annotated[int, Meta(ge=1, le=6)]
Position = Literal["dealer"] | Seat
Seat7 = Annotated[int, Meta(ge=1, le=7)]
Position7 = Literal["dealer"] | Seat7
Pile = Literal["pile-1", "pile-2", "pile-3", "pile-4", "pile-5", "pile-6", "pile-7"]
Pip = Annotated[int, Meta(ge=1, le=6)]
Token = Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,32}\Z")]
Text = Annotated[str, Meta(min_length=1, max_length=400)]
Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Day = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
SubmissionText = Annotated[str, Meta(min_length=1, max_length=262_144)]

# fmt: off
Card = Literal[
    "2c", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c", "4d", "4h", "4s", "5c", "5d", "5h", "5s", "6c", "6d", "6h", "6s",
    "7c", "7d", "7h", "7s", "8c", "8d", "8h", "8s", "9c", "9d", "9h", "9s", "Tc", "Td", "Th", "Ts", "Jc", "Jd", "Jh", "Js",
    "Qc", "Qd", "Qh", "Qs", "Kc", "Kd", "Kh", "Ks", "Ac", "Ad", "Ah", "As", "Jk",
]
# fmt: on
SeenCard = Card | None
Cards = Annotated[list[SeenCard], Meta(max_length=60)]

WagerName = Literal[
    "base", "ace_high_bonus", "fortune_bonus", "progressive", "tiger_9", "sum", "match", "beat_it", "insurance",
    "ante", "bonus", "over", "under", "blind", "raise", "trips", "bad_beat", "mystery", "backline",
]  # fmt: skip
EnvyWager = Literal["fortune_bonus", "progressive"]
WagerForm = Literal["chips", "plaque", "instrument", "cash", "verbal"]
DealMethod = Literal["manual_shoe", "hand", "automated_shoe"]
Shuffler = Literal["none", "automated", "automated_counting", "continuous"]
Device = Literal["shuffler", "shoe", "shaker", "progressive_system"]
Aspect = Literal[
    "equipment", "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "progressive", "envy",
    "collection", "mystery", "rotation", "fees",
]  # fmt: skip
"""What the record of a round claims to cover. Only in a covered aspect does the absence of an event mean something."""


class _Decoding(threading.local):
    """Set by the codec while its decoder runs: what a strict decoder made needs no second validation."""

    active = False


decoding = _Decoding()


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A frozen value that cannot be made out of range, by construction, `structs.replace` or decoding.

    Raises `msgspec.ValidationError` naming the class and field.
    """

    def __post_init__(self) -> None:
        if not decoding.active:
            _validate(self)


@functools.cache
def _shape(cls: type[Strict]) -> tuple[tuple[str, ...], Any, frozenset[str]]:
    """Return a class's field names, their types as one array-like struct, and which fields hold any registered event."""
    fields = msgspec.structs.fields(cls)
    types = [(field.name, Any if field.type is Event else field.type) for field in fields]
    events = frozenset(field.name for field in fields if field.type is Event)
    return (
        tuple(field.name for field in fields),
        msgspec.defstruct(f"{cls.__name__}Fields", types, array_like=True),
        events,
    )


def _validate(value: Strict) -> None:
    names, shape, events = _shape(type(value))
    contents = tuple(getattr(value, name) for name in names)
    try:
        converted = msgspec.structs.astuple(msgspec.convert(contents, shape, strict=True))
    except msgspec.ValidationError as error:
        where = re.search(r"`\$\[(\d+)\](.*)`$", str(error))
        name = f".{names[int(where[1])]}{where[2]}" if where else ""
        raise msgspec.ValidationError(f"{type(value).__name__}{name}: {str(error).split(' - at ')[0]}") from error
    for name, content, kept in zip(names, contents, converted, strict=True):
        field = f"{type(value).__name__}.{name}"
        if content != kept:
            raise msgspec.ValidationError(f"{field}: {content!r:.80} would read back as {kept!r:.80}")
        if name in events and not (isinstance(content, Event) and (content.TYPE, content.VERSION) in REGISTRY):
            raise msgspec.ValidationError(f"{field}: expected an event, got {content!r:.80}")
        if isinstance(content, str) and not content.isascii():
            _check_text(field, content)


def _check_text(field: str, text: str) -> None:
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise msgspec.ValidationError(f"{field}: text has half of a surrogate pair")
    if not unicodedata.is_normalized("NFC", text):
        raise msgspec.ValidationError(f"{field}: text is not in NFC form")


class Event(Strict, frozen=True, forbid_unknown_fields=True):
    """A payload. `TYPE` and `VERSION` are its permanent name in the envelope."""

    TYPE: ClassVar[str] = ""
    VERSION: ClassVar[int] = 0
    KIND: ClassVar[type[Event]]
    """The class of version 1, which stands for the event whatever its version."""


E = TypeVar("E", bound=type[Event])
F = TypeVar("F", bound=Event)

REGISTRY: dict[tuple[str, int], type[Event]] = {}
"""Every event this version can decode, by permanent `(type, version)`."""


def require_sorted_fields(cls: type[msgspec.Struct]) -> None:
    """Refuse a class whose fields do not stand in the order of the canonical bytes: the encoder does not sort them."""
    names = [field.encode_name for field in msgspec.structs.fields(cls)]
    if names != sorted(names):
        raise TypeError(f"{cls.__name__}: the fields must stand in alphabetical order, as in the canonical bytes")


def event(type_: str, version: int = 1) -> Callable[[E], E]:
    """Register a payload class under its permanent tag; a tag and version can be taken once."""

    def register(cls: E) -> E:
        require_sorted_fields(cls)
        if (type_, version) in REGISTRY:
            raise ValueError(f"event {type_!r} version {version} is registered twice")
        cls.TYPE, cls.VERSION = type_, version
        cls.KIND = REGISTRY.get((type_, 1), cls)
        REGISTRY[type_, version] = cls
        return cls

    return register


# --------------------------------------------------------------------------------------------------------------- property


@event("property_configured")
class PropertyConfigured(Event, frozen=True, kw_only=True):
    """The property's name, time zone (IANA), start of the gaming day (`HH:MM` local) and currency (ISO 4217)."""

    currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z")]
    gaming_day_cutover: Annotated[str, Meta(pattern=r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
    name: Text
    time_zone: Text


@event("gaming_day_opened")
class GamingDayOpened(Event, frozen=True, kw_only=True):
    """From here on the stream counts to this gaming day. Its own envelope already carries the new day."""

    gaming_day: Day


@event("shift_changed")
class ShiftChanged(Event, frozen=True, kw_only=True):
    """A new shift began at this table."""

    shift: Token


@event("rules_filed")
class RulesFiled(Event, frozen=True, kw_only=True):
    """A rules submission, whole, as filed for this table; `sha256` is of the UTF-8 bytes of `toml`."""

    effective_gaming_day: Day
    sha256: Digest
    submission: Token
    toml: SubmissionText


# ------------------------------------------------------------------------------------------------------------------ table


@event("table_opened")
class TableOpened(Event, frozen=True, kw_only=True):
    """The table opened for gaming with this game and equipment. `game` is the module's name."""

    deal_method: DealMethod
    game: Annotated[str, Meta(pattern=r"\A[a-z0-9_]{1,32}\Z")]
    seats: Annotated[int, Meta(ge=1, le=7)]
    shuffler: Shuffler


@event("table_closed")
class TableClosed(Event, frozen=True, kw_only=True):
    """The table closed for gaming."""

    by: Token


@event("inventory_counted")
class InventoryCounted(Event, frozen=True, kw_only=True):
    """The table inventory was counted as opener or closer, in cents."""

    amount_cents: Amount
    by: Token
    kind: Literal["opener", "closer"]
    verified_by: Token | None


@event("dealer_tapped_in")
class DealerTappedIn(Event, frozen=True, kw_only=True):
    """A dealer took over the table."""

    dealer: Token


@event("dealer_tapped_out")
class DealerTappedOut(Event, frozen=True, kw_only=True):
    """A dealer left the table."""

    dealer: Token


@event("deck_received")
class DeckReceived(Event, frozen=True, kw_only=True):
    """A deck came to the table. `preshuffled`: inspected and shuffled beforehand (§ 603a.16(u), (v))."""

    back_colour: Text
    deck: Token
    jokers: Annotated[int, Meta(ge=0, le=2)]
    preshuffled: bool


@event("deck_inspected")
class DeckInspected(Event, frozen=True, kw_only=True):
    """The dealer inspected a deck; `verified_by` is the floorperson, null where nobody verified."""

    by: Token
    deck: Token
    verified_by: Token | None


@event("joker_destroyed")
class JokerDestroyed(Event, frozen=True, kw_only=True):
    """A second joker was torn in half and put back in the box; `witnessed_by` is the floorperson, or null."""

    by: Token
    deck: Token
    witnessed_by: Token | None


@event("deck_in_play")
class DeckInPlay(Event, frozen=True, kw_only=True):
    """A deck went into play; its time on the table runs from here (D28)."""

    deck: Token


@event("deck_removed")
class DeckRemoved(Event, frozen=True, kw_only=True):
    """A deck left the table."""

    deck: Token
    reason: Literal["changed", "incorrect_count", "damaged", "table_closed", "device_failed", "other"]


@event("cards_spread")
class CardsSpread(Event, frozen=True, kw_only=True):
    """A deck was spread for inspection by the first player."""

    deck: Token
    face_up: bool
    inspected_by: Token | None


@event("cards_washed")
class CardsWashed(Event, frozen=True, kw_only=True):
    """A deck was turned face down, washed and stacked."""

    deck: Token


@event("dice_received")
class DiceReceived(Event, frozen=True, kw_only=True):
    """A set of three dice was placed in the shaker."""

    dice_set: Token


@event("dice_removed")
class DiceRemoved(Event, frozen=True, kw_only=True):
    """A set of dice was taken from the table."""

    dice_set: Token


@event("patron_seated")
class PatronSeated(Event, frozen=True, kw_only=True):
    """A patron (pseudonymous token) took a seat; one patron may hold two adjacent betting areas."""

    patron: Token
    seat: Seat


@event("patron_left")
class PatronLeft(Event, frozen=True, kw_only=True):
    """A patron left a seat."""

    patron: Token
    seat: Seat


@event("patron_barred")
class PatronBarred(Event, frozen=True, kw_only=True):
    """A patron may not wager until a reshuffle or until let in again (mid-shoe entry)."""

    patron: Token
    reason: Text


@event("buy_in")
class BuyIn(Event, frozen=True, kw_only=True):
    """A patron bought chips at the table; cash and vouchers go to the drop box."""

    amount_cents: Amount
    form: Literal["cash", "voucher", "marker"]
    patron: Token
    seat: Seat


@event("marker_issued")
class MarkerIssued(Event, frozen=True, kw_only=True):
    """A counter check was issued at the table."""

    amount_cents: Amount
    document: Token
    patron: Token
    seat: Seat


@event("fill_received")
class FillReceived(Event, frozen=True, kw_only=True):
    """Chips came to the table inventory from the cage."""

    amount_cents: Amount
    by: Token
    slip: Token


@event("credit_sent")
class CreditSent(Event, frozen=True, kw_only=True):
    """Chips went from the table inventory to the cage."""

    amount_cents: Amount
    by: Token
    slip: Token


@event("drop_counted")
class DropCounted(Event, frozen=True, kw_only=True):
    """The drop box of a named gaming day was counted (later, in the count room)."""

    amount_cents: Amount
    box: Token
    by: Token
    gaming_day: Day


@event("device_failed")
class DeviceFailed(Event, frozen=True, kw_only=True):
    """A device jammed, stopped, did not complete its cycle, or cannot be used at all (`inoperative`)."""

    device: Device
    fault: Literal["jam", "stopped", "incomplete", "inoperative"]


@event("device_covered")
class DeviceCovered(Event, frozen=True, kw_only=True):
    """A device that cannot be used was covered or got an out-of-order sign."""

    device: Device
    how: Literal["cover", "sign"]


@event("device_restored")
class DeviceRestored(Event, frozen=True, kw_only=True):
    """A device works again."""

    device: Device


@event("intake_refused")
class IntakeRefused(Event, frozen=True, kw_only=True):
    """Input from a device could not be accepted; its bytes are in quarantine under this SHA-256."""

    reason: Text
    sha256: Digest
    size: Count


# ----------------------------------------------------------------------------------------------------------------- meters


@event("meter_set")
class MeterSet(Event, frozen=True, kw_only=True):
    """A progressive meter was put into service, or set by the controller, under a chapter's paytable."""

    chapter: Token
    paytable: Text
    rate_bp: BasisPoints
    reason: Text
    reserve_centicents: Centicents
    reserve_rate_bp: BasisPoints
    seed_cents: Amount
    value_centicents: Centicents


@event("meter_advanced")
class MeterAdvanced(Event, frozen=True, kw_only=True):
    """An accepted wager advanced the meter; the values are the controller's, after the advance."""

    reserve_centicents: Centicents
    round_no: Number
    seat: Seat
    table: Token
    value_centicents: Centicents
    wager_cents: Amount


@event("meter_reset")
class MeterReset(Event, frozen=True, kw_only=True):
    """A winner took `share_bp` of the meter; the values are the controller's, after it."""

    paid_centicents: Centicents
    reserve_centicents: Centicents
    round_no: Number
    seat: Seat
    share_bp: BasisPoints
    table: Token
    value_centicents: Centicents


# --------------------------------------------------------------------------------------------- round: shuffle, cut, start


@event("round_opened")
class RoundOpened(Event, frozen=True, kw_only=True):
    """A round of play began with this deck; `observed` says what the record of the round claims to cover."""

    deck: Token
    observed: Annotated[list[Aspect], Meta(max_length=16)]


@event("cards_shuffled")
class CardsShuffled(Event, frozen=True, kw_only=True):
    """A deck was shuffled; `count` is the device's count of cards, null where it does not count."""

    count: Count | None
    deck: Token
    method: Literal["manual", "automated", "continuous"]


@event("cut_offered")
class CutOffered(Event, frozen=True, kw_only=True):
    """The cut was offered to a seat, which took or refused it."""

    accepted: bool
    seat: Seat


@event("cards_cut")
class CardsCut(Event, frozen=True, kw_only=True):
    """The cover card was placed `depth` cards from the top or the bottom."""

    by: Position
    counted_from: Literal["top", "bottom"]
    depth: Count


@event("recut_ordered")
class RecutOrdered(Event, frozen=True, kw_only=True):
    """A floorperson or above required a recut."""

    by: Token


@event("shaker_shaken")
class ShakerShaken(Event, frozen=True, kw_only=True):
    """The shaker was shaken: by hand so many times, or by a machine for so many milliseconds."""

    covered: bool
    duration_ms: Count | None
    times: Count | None


@event("dice_rolled")
class DiceRolled(Event, frozen=True, kw_only=True):
    """The shaker was uncovered and three dice were read; a die that was not read is null."""

    colours: Annotated[list[Literal["red", "blue", "white"]], Meta(min_length=3, max_length=3)] | None
    dice: Annotated[list[Pip | None], Meta(min_length=3, max_length=3)]
    lie: Literal["flat", "not_flat", "fell_out"]


@event("total_announced")
class TotalAnnounced(Event, frozen=True, kw_only=True):
    """The dealer announced the total of the dice."""

    total: Annotated[int, Meta(ge=0, le=99)]


@event("number_drawn")
class NumberDrawn(Event, frozen=True, kw_only=True):
    """The random number generator displayed a number."""

    number: Annotated[int, Meta(ge=1, le=7)]


@event("start_announced")
class StartAnnounced(Event, frozen=True, kw_only=True):
    """The dealer marked or announced the starting position."""

    position: Position


@event("shaker_covered")
class ShakerCovered(Event, frozen=True, kw_only=True):
    """The cover went back on the shaker."""

    placed_right_of_dealer: bool


# ------------------------------------------------------------------------------------------------------- round: wagering


@event("wager_placed")
class WagerPlaced(Event, frozen=True, kw_only=True):
    """A wager was placed or increased by `amount_cents`; `number` is the value of a Match wager."""

    amount_cents: Amount
    bettor: Token
    form: WagerForm
    number: Pip | None
    seat: Seat
    wager: WagerName


@event("wager_removed")
class WagerRemoved(Event, frozen=True, kw_only=True):
    """A wager was withdrawn or decreased by `amount_cents`."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    seat: Seat
    wager: WagerName


@event("wager_refused")
class WagerRefused(Event, frozen=True, kw_only=True):
    """The dealer refused a wager; nothing of it is at stake."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    reason: Text
    seat: Seat
    wager: WagerName


@event("no_more_bets")
class NoMoreBets(Event, frozen=True, kw_only=True):
    """The dealer announced "no more bets"."""

    announced_by: Literal["dealer", "device"]


@event("progressive_locked")
class ProgressiveLocked(Event, frozen=True, kw_only=True):
    """Progressive wagers were locked out and collected: the system's number of wagers, the dealer's number of chips."""

    accepted: Count
    collected: Count


@event("lammer_placed")
class LammerPlaced(Event, frozen=True, kw_only=True):
    """An Envy lammer was placed next to a qualifying wager."""

    seat: Seat
    wager: EnvyWager


@event("progressive_accepted")
class ProgressiveAccepted(Event, frozen=True, kw_only=True):
    """The progressive system accepted a wager; the reading is the meter after the advance."""

    amount_cents: Amount
    meter: Token
    meter_seq: Number
    reading_centicents: Centicents
    seat: Seat


# --------------------------------------------------------------------------------------------------------- round: the deal


@event("cards_dealt")
class CardsDealt(Event, frozen=True, kw_only=True):
    """One card or a stack went to a position, in the order dealt."""

    cards: Annotated[list[SeenCard], Meta(min_length=1, max_length=60)]
    face_up: bool
    to: Position | Literal["burn", "side"]


@event("card_drawn_in_error")
class CardDrawnInError(Event, frozen=True, kw_only=True):
    """A card left the shoe in error without its face being exposed; the shoe's reader knows it."""

    card: SeenCard


@event("card_exposed")
class CardExposed(Event, frozen=True, kw_only=True):
    """A card's face was exposed: whose (a position, or a stack not yet delivered), and by whom."""

    by: Literal["dealer", "player", "device"]
    card: SeenCard
    whose: Position | Literal["stack"]


@event("card_found_face_up")
class CardFoundFaceUp(Event, frozen=True, kw_only=True):
    """A card was found face up in the shoe or the deck while dealing."""

    card: SeenCard


@event("hand_elected")
class HandElected(Event, frozen=True, kw_only=True):
    """A player whose card was exposed chose to play out or to void the hand."""

    election: Literal["play", "void"]
    seat: Seat


@event("stub_counted")
class StubCounted(Event, frozen=True, kw_only=True):
    """The stub was spread face down and counted; `exposed` cards of it were seen."""

    count: Count
    exposed: Count


# ------------------------------------------------------------------------------------------------- round: setting, result


@event("hand_examined")
class HandExamined(Event, frozen=True, kw_only=True):
    """A player looked at the seven cards."""

    seat: Seat


@event("hand_set")
class HandSet(Event, frozen=True, kw_only=True):
    """Hands were set and placed. `medium` is empty where the game has none."""

    by: Literal["player", "dealer"]
    high: Cards
    low: Cards
    medium: Cards
    position: Position


@event("hand_reset")
class HandReset(Event, frozen=True, kw_only=True):
    """Hands that were already set were set again, with the reason given at the table."""

    by: Literal["player", "dealer", "floorperson"]
    high: Cards
    low: Cards
    medium: Cards
    position: Position
    reason: Literal["house_way", "changed", "other"]


@event("surrendered")
class Surrendered(Event, frozen=True, kw_only=True):
    """A player announced the intention to surrender."""

    seat: Seat


@event("hand_revealed")
class HandRevealed(Event, frozen=True, kw_only=True):
    """The dealer revealed the hands of a position."""

    position: Position


@event("result_announced")
class ResultAnnounced(Event, frozen=True, kw_only=True):
    """The dealer announced the result of a wager."""

    result: Literal["win", "lose", "tie"]
    seat: Seat
    wager: WagerName


@event("envy_acknowledged")
class EnvyAcknowledged(Event, frozen=True, kw_only=True):
    """The dealer acknowledged aloud that a seat holds an Envy Bonus qualifying hand."""

    seat: Seat


@event("light_seen")
class LightSeen(Event, frozen=True, kw_only=True):
    """The progressive system's light for a winning seat was seen lit."""

    seat: Seat


# --------------------------------------------------------------------------------------------------- round: the settlement


@event("wager_taken")
class WagerTaken(Event, frozen=True, kw_only=True):
    """The dealer collected a wager."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    reason: Literal["lost", "foul", "surrendered", "abandoned", "other"]
    seat: Seat
    wager: WagerName


@event("wager_paid")
class WagerPaid(Event, frozen=True, kw_only=True):
    """A wager was paid: winnings, and apart from them the part of the stake that went back with them.

    A payout from two sources is two events; `winnings_cents` never includes the stake.
    """

    bettor: Token
    number: Pip | None
    seat: Seat
    source: Literal["inventory", "slip", "player_dealer"]
    stake_cents: Amount
    wager: WagerName
    winnings_cents: Amount


@event("wager_returned")
class WagerReturned(Event, frozen=True, kw_only=True):
    """A stake, or what remained of it, went back to the bettor without winnings."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    reason: Literal["push", "void", "uncovered", "late", "other"]
    seat: Seat
    wager: WagerName


@event("wager_abandoned")
class WagerAbandoned(Event, frozen=True, kw_only=True):
    """The bettor left during the round and the wagers at the seat were considered abandoned."""

    bettor: Token
    seat: Seat


@event("vigorish_taken")
class VigorishTaken(Event, frozen=True, kw_only=True):
    """A commission was taken on a wager."""

    amount_cents: Amount
    bettor: Token
    seat: Seat


@event("envy_paid")
class EnvyPaid(Event, frozen=True, kw_only=True):
    """An Envy Bonus was paid to `seat` for the hand of `for_position`."""

    amount_cents: Amount
    for_position: Position
    seat: Seat
    wager: EnvyWager


@event("progressive_won")
class ProgressiveWon(Event, frozen=True, kw_only=True):
    """The controller recorded a meter winner: the meter at that turn, the share taken, the meter after it."""

    after_centicents: Centicents
    meter: Token
    meter_seq: Number
    reading_centicents: Centicents
    seat: Seat
    share_bp: BasisPoints


@event("payout_validated")
class PayoutValidated(Event, frozen=True, kw_only=True):
    """A payout was validated by a person with a role."""

    by: Token
    role: Literal["dealer", "floorperson", "pit_manager", "shift_manager"]
    seat: Seat
    wager: WagerName


@event("payout_documented")
class PayoutDocumented(Event, frozen=True, kw_only=True):
    """The documentation of a payout that is not paid from the table inventory was completed."""

    amount_cents: Amount
    document: Token
    seat: Seat
    wager: WagerName


@event("cards_collected")
class CardsCollected(Event, frozen=True, kw_only=True):
    """Cards went to the discard rack: of one position, the stub, what lay burnt or face up, or all that remained.

    `counted` is how many the dealer counted face down, null where no count was made.
    """

    count: Count
    counted: Count | None
    deck: Token
    of: Position | Literal["stub", "aside", "all"]


@event("round_voided")
class RoundVoided(Event, frozen=True, kw_only=True):
    """The round (`scope` "round") or one seat's hand was declared void."""

    reason: Literal[
        "wrong_start", "wrong_count", "stub_count", "face_up_cards", "exposed_stack", "device_failed", "exposed_card",
        "floor_decision", "exposed_dealer",
    ]  # fmt: skip
    scope: Literal["round"] | Seat


@event("round_closed")
class RoundClosed(Event, frozen=True, kw_only=True):
    """The round of play is complete; documents for slips may follow."""

    by: Token


# --------------------------------------------------------------------------------------------------- a seventh seat (D131)

_SEVENTH: dict[str, Any] = {
    "seat": Seat7,
    "position": Position7,
    "for_position": Position7,
    "whose": Position7 | Literal["stack"],
    "to": Position7 | Literal["burn", "side"] | Pile,
    "of": Position7 | Literal["stub", "aside", "all"],
    "scope": Literal["round"] | Seat7,
}
"""The fields that name a seat, with the type that has room for the seventh."""

_seven: dict[type[Event], type[Event]] = {}


def seven_seats(cls: E) -> E:
    """Return version 2 of an event: the same fact at a table with a seventh seat. Events that name no seat have none.

    >>> seven_seats(Surrendered)(seat=7).VERSION, seven_seats(RoundClosed) is RoundClosed
    (2, True)
    """
    return _seven.get(cls, cls)  # type: ignore[return-value]  # version 2 has the fields and the ancestor of version 1


def fact(cls: type[F], **fields: Any) -> F:
    """Return an event, in version 2 where a field names the seventh seat and version 1 has no room for it.

    >>> fact(Surrendered, seat=3).VERSION, fact(Surrendered, seat=7).VERSION
    (1, 2)
    """
    wider = any(fields.get(name) == 7 for name in _SEVENTH) or str(fields.get("to")).startswith("pile")
    made: F = (_seven.get(cls, cls) if wider else cls)(**fields)  # type: ignore[assignment]  # version 2 descends from 1
    return made


def _register_seventh_seats() -> None:
    for (type_, version), cls in list(REGISTRY.items()):
        fields = msgspec.structs.fields(cls)
        if version != 1 or all(field.name not in _SEVENTH for field in fields):
            continue
        wider: Any = msgspec.defstruct(
            f"{cls.__name__}7",
            [(field.name, _SEVENTH.get(field.name, field.type)) for field in fields],
            bases=(cls,), frozen=True, kw_only=True, forbid_unknown_fields=True,
            namespace={"__doc__": f"{cls.__doc__ or ''}".split("\n")[0] + " Seats go to 7."},
        )  # fmt: skip
        _seven[cls] = event(type_, 2)(wider)


_register_seventh_seats()


# ------------------------------------------------------------------------------------- dice wagers, Must-Hit-By (§ 645c)


@event("shaker_activated")
class ShakerActivated(Event, frozen=True, kw_only=True):
    """A selected player pressed the activation button of the electronic shaker (§ 645c.2(f)(1))."""

    seat: Seat


@event("dice_announced")
class DiceAnnounced(Event, frozen=True, kw_only=True):
    """The dealer announced the numeric value of each die (§ 645c.2(g))."""

    dice: Annotated[list[Pip], Meta(min_length=3, max_length=3)]


@event("mystery_armed")
class MysteryArmed(Event, frozen=True, kw_only=True):
    """A Must-Hit-By target was drawn for the meter; `commitment` is the SHA-256 of target and nonce, or null (D21)."""

    commitment: Digest | None
    maximum_cents: Amount
    meter: Token
    minimum_cents: Amount
    rate_bp: BasisPoints
    reading_centicents: Centicents


@event("mystery_hit")
class MysteryHit(Event, frozen=True, kw_only=True):
    """The controller recorded a Must-Hit-By winner: the meter as it was won, the target where it is told, the meter after.

    The commitment is the SHA-256 of `TARGET:NONCE`, the target in hundredths of a cent, in decimal digits (D21).
    """

    after_centicents: Centicents
    meter: Token
    nonce: Annotated[str, Meta(max_length=128)] | None
    reading_centicents: Centicents
    round_no: Number
    seat: Seat
    table: Token
    target_centicents: Centicents | None


# -------------------------------------------------------------------------------------- the shoe, decisions (§§ 686a, 687a)


@event("card_burned")
class CardBurned(Event, frozen=True, kw_only=True):
    """The first card of a shoe, or of a new dealer, went to the discard rack (§ 686a.7(c), .9(b))."""

    card: SeenCard
    reason: Literal["new_shoe", "new_dealer", "reshuffle"]


@event("cover_card_placed")
class CoverCardPlaced(Event, frozen=True, kw_only=True):
    """The cover card was inserted in the stack, so many cards from the top or the bottom (§ 686a.5(d))."""

    counted_from: Literal["top", "bottom"]
    depth: Count


@event("cover_card_reached")
class CoverCardReached(Event, frozen=True, kw_only=True):
    """The cover card appeared: on a position's betting area, or as the first card of a round (§ 686a.5(c), .7(d))."""

    at: Position | Literal["start"]


@event("decision_made")
class DecisionMade(Event, frozen=True, kw_only=True):
    """A player decided: to raise or fold (§ 687a.11(b)), over or under (§ 686a.7(g))."""

    decision: Literal["raise", "fold", "over", "under"]
    seat: Seat


@event("wager_handled")
class WagerHandled(Event, frozen=True, kw_only=True):
    """A player handled, moved or altered a wager that was not decided yet (§ 686a.6(c))."""

    seat: Seat
    wager: WagerName


# ------------------------------------------------------------------------------------------------ California: player-dealer


@event("player_dealer_offered")
class PlayerDealerOffered(Event, frozen=True, kw_only=True):
    """The player-dealer position was offered to a seat, which accepted or declined."""

    accepted: bool
    seat: Seat7


@event("player_dealer_wagered")
class PlayerDealerWagered(Event, frozen=True, kw_only=True):
    """A seat holds the player-dealer position of this round with this wager, which is all that it can win or lose."""

    amount_cents: Amount
    bettor: Token
    seat: Seat7


@event("action_button_placed")
class ActionButtonPlaced(Event, frozen=True, kw_only=True):
    """The action button was placed at a seat: the first to receive action from the player-dealer."""

    seat: Seat7


@event("pile_selected")
class PileSelected(Event, frozen=True, kw_only=True):
    """The player-dealer selected the pile that is distributed first, counted from the house dealer's left."""

    pile: Pile


@event("collection_taken")
class CollectionTaken(Event, frozen=True, kw_only=True):
    """A collection fee was taken from a seat; it is no part of any win (D27)."""

    amount_cents: Amount
    bettor: Token
    seat: Seat7


# ------------------------------------------------------------------------------------------------------------ corrections


class Replacement(Strict, frozen=True, kw_only=True):
    """The whole event that stands in for a superseded one: its type, version, round and payload."""

    payload: dict[str, Any]
    round_no: Number | None
    type: Annotated[str, Meta(pattern=r"\A[a-z_]{1,40}\Z")]
    version: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        target = REGISTRY.get((self.type, self.version))
        if target is None:
            raise msgspec.ValidationError(f"Replacement: no event {self.type!r} version {self.version}")
        if self.type == EventCorrected.TYPE:
            raise msgspec.ValidationError("Replacement: a correction cannot be replaced by a correction")
        try:
            msgspec.convert(self.payload, target, strict=True)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"Replacement.payload: {error}") from error


@event("event_corrected")
class EventCorrected(Event, frozen=True, kw_only=True):
    """An earlier event of this stream is superseded: by a whole replacement, or (null) by nothing, for it never happened."""

    by: Token
    reason: Text
    replacement: Replacement | None
    supersedes_event_id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    supersedes_seq: Number
