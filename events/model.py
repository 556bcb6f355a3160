"""The vocabulary: every fact a table, a property or a meter can state, as frozen strict structs.

The law of this file: an event is a past-tense fact with a permanent tag and version; it has no defaults; values are
integers, booleans, text and lists of these; money is integer cents, meters are hundredths of a cent, both within
±(2**53 - 1). Constructing a value validates it exactly as decoding its bytes does. An event records what happened,
right or wrong: whether it was right is not asked here. A field is never changed: a changed event is a new version
(see `upcast.py`). Adding a value to a closed list (a wager, a reason) is not a change of fields.

Positions are `"dealer"` or a seat from 1 (at the dealer's left) clockwise to 6. Cards are `"Ks"`, `"Td"`, the joker is
`"Jk"`; a card that the reader did not read is null.
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
Cents = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
Amount = Annotated[int, Meta(ge=0, le=MAX_INT)]
Centicents = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
BasisPoints = Annotated[int, Meta(ge=0, le=1_000_000)]
Seat = Annotated[int, Meta(ge=1, le=6)]
Position = Literal["dealer"] | Seat
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
    "ante", "bonus", "over", "under", "blind", "raise", "trips", "bad_beat",
]  # fmt: skip
EnvyWager = Literal["fortune_bonus", "progressive"]
WagerForm = Literal["chips", "plaque", "instrument", "cash", "verbal"]
DealMethod = Literal["manual_shoe", "hand", "automated_shoe"]
Shuffler = Literal["none", "automated", "automated_counting", "continuous"]
Device = Literal["shuffler", "shoe", "shaker", "progressive_system"]
Aspect = Literal[
    "equipment", "shuffle", "wagering", "start", "deal", "stub", "setting", "settlement", "progressive", "envy",
    "collection",
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


E = TypeVar("E", bound=type[Event])

REGISTRY: dict[tuple[str, int], type[Event]] = {}
"""Every event this version can decode, by permanent `(type, version)`."""


def event(type_: str, version: int = 1) -> Callable[[E], E]:
    """Register a payload class under its permanent tag; a tag and version can be taken once."""

    def register(cls: E) -> E:
        if (type_, version) in REGISTRY:
            raise ValueError(f"event {type_!r} version {version} is registered twice")
        cls.TYPE, cls.VERSION = type_, version
        REGISTRY[type_, version] = cls
        return cls

    return register


# --------------------------------------------------------------------------------------------------------------- property


@event("property_configured")
class PropertyConfigured(Event, frozen=True, kw_only=True):
    """The property's name, time zone (IANA), start of the gaming day (`HH:MM` local) and currency (ISO 4217)."""

    name: Text
    time_zone: Text
    gaming_day_cutover: Annotated[str, Meta(pattern=r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
    currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z")]


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

    submission: Token
    effective_gaming_day: Day
    toml: SubmissionText
    sha256: Digest


# ------------------------------------------------------------------------------------------------------------------ table


@event("table_opened")
class TableOpened(Event, frozen=True, kw_only=True):
    """The table opened for gaming with this game and equipment. `game` is the module's name."""

    game: Annotated[str, Meta(pattern=r"\A[a-z0-9_]{1,32}\Z")]
    deal_method: DealMethod
    shuffler: Shuffler
    seats: Annotated[int, Meta(ge=1, le=7)]


@event("table_closed")
class TableClosed(Event, frozen=True, kw_only=True):
    """The table closed for gaming."""

    by: Token


@event("inventory_counted")
class InventoryCounted(Event, frozen=True, kw_only=True):
    """The table inventory was counted as opener or closer, in cents."""

    kind: Literal["opener", "closer"]
    amount_cents: Amount
    by: Token
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

    deck: Token
    back_colour: Text
    jokers: Annotated[int, Meta(ge=0, le=2)]
    preshuffled: bool


@event("deck_inspected")
class DeckInspected(Event, frozen=True, kw_only=True):
    """The dealer inspected a deck; `verified_by` is the floorperson, null where nobody verified."""

    deck: Token
    by: Token
    verified_by: Token | None


@event("joker_destroyed")
class JokerDestroyed(Event, frozen=True, kw_only=True):
    """A second joker was torn in half and put back in the box; `witnessed_by` is the floorperson, or null."""

    deck: Token
    by: Token
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

    seat: Seat
    patron: Token


@event("patron_left")
class PatronLeft(Event, frozen=True, kw_only=True):
    """A patron left a seat."""

    seat: Seat
    patron: Token


@event("patron_barred")
class PatronBarred(Event, frozen=True, kw_only=True):
    """A patron may not wager until a reshuffle or until let in again (mid-shoe entry)."""

    patron: Token
    reason: Text


@event("buy_in")
class BuyIn(Event, frozen=True, kw_only=True):
    """A patron bought chips at the table; cash and vouchers go to the drop box."""

    seat: Seat
    patron: Token
    amount_cents: Amount
    form: Literal["cash", "voucher", "marker"]


@event("marker_issued")
class MarkerIssued(Event, frozen=True, kw_only=True):
    """A counter check was issued at the table."""

    seat: Seat
    patron: Token
    amount_cents: Amount
    document: Token


@event("fill_received")
class FillReceived(Event, frozen=True, kw_only=True):
    """Chips came to the table inventory from the cage."""

    amount_cents: Amount
    slip: Token
    by: Token


@event("credit_sent")
class CreditSent(Event, frozen=True, kw_only=True):
    """Chips went from the table inventory to the cage."""

    amount_cents: Amount
    slip: Token
    by: Token


@event("drop_counted")
class DropCounted(Event, frozen=True, kw_only=True):
    """The drop box of a named gaming day was counted (later, in the count room)."""

    gaming_day: Day
    box: Token
    amount_cents: Amount
    by: Token


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

    sha256: Digest
    size: Count
    reason: Text


# ----------------------------------------------------------------------------------------------------------------- meters


@event("meter_set")
class MeterSet(Event, frozen=True, kw_only=True):
    """A progressive meter was put into service, or set by the controller, under a chapter's paytable."""

    chapter: Token
    paytable: Text
    seed_cents: Amount
    rate_bp: BasisPoints
    reserve_rate_bp: BasisPoints
    value_centicents: Centicents
    reserve_centicents: Centicents
    reason: Text


@event("meter_advanced")
class MeterAdvanced(Event, frozen=True, kw_only=True):
    """An accepted wager advanced the meter; the values are the controller's, after the advance."""

    table: Token
    round_no: Number
    seat: Seat
    wager_cents: Amount
    value_centicents: Centicents
    reserve_centicents: Centicents


@event("meter_reset")
class MeterReset(Event, frozen=True, kw_only=True):
    """A winner took `share_bp` of the meter; the values are the controller's, after it."""

    table: Token
    round_no: Number
    seat: Seat
    share_bp: BasisPoints
    paid_centicents: Centicents
    value_centicents: Centicents
    reserve_centicents: Centicents


# --------------------------------------------------------------------------------------------- round: shuffle, cut, start


@event("round_opened")
class RoundOpened(Event, frozen=True, kw_only=True):
    """A round of play began with this deck; `observed` says what the record of the round claims to cover."""

    deck: Token
    observed: Annotated[list[Aspect], Meta(max_length=16)]


@event("cards_shuffled")
class CardsShuffled(Event, frozen=True, kw_only=True):
    """A deck was shuffled; `count` is the device's count of cards, null where it does not count."""

    deck: Token
    method: Literal["manual", "automated", "continuous"]
    count: Count | None


@event("cut_offered")
class CutOffered(Event, frozen=True, kw_only=True):
    """The cut was offered to a seat, which took or refused it."""

    seat: Seat
    accepted: bool


@event("cards_cut")
class CardsCut(Event, frozen=True, kw_only=True):
    """The cover card was placed `depth` cards from the top or the bottom."""

    by: Position
    depth: Count
    counted_from: Literal["top", "bottom"]


@event("recut_ordered")
class RecutOrdered(Event, frozen=True, kw_only=True):
    """A floorperson or above required a recut."""

    by: Token


@event("shaker_shaken")
class ShakerShaken(Event, frozen=True, kw_only=True):
    """The shaker was shaken: by hand so many times, or by a machine for so many milliseconds."""

    times: Count | None
    duration_ms: Count | None
    covered: bool


@event("dice_rolled")
class DiceRolled(Event, frozen=True, kw_only=True):
    """The shaker was uncovered and three dice were read; a die that was not read is null."""

    dice: Annotated[list[Pip | None], Meta(min_length=3, max_length=3)]
    colours: Annotated[list[Literal["red", "blue", "white"]], Meta(min_length=3, max_length=3)] | None
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

    seat: Seat
    bettor: Token
    wager: WagerName
    number: Pip | None
    amount_cents: Amount
    form: WagerForm


@event("wager_removed")
class WagerRemoved(Event, frozen=True, kw_only=True):
    """A wager was withdrawn or decreased by `amount_cents`."""

    seat: Seat
    bettor: Token
    wager: WagerName
    number: Pip | None
    amount_cents: Amount


@event("wager_refused")
class WagerRefused(Event, frozen=True, kw_only=True):
    """The dealer refused a wager; nothing of it is at stake."""

    seat: Seat
    bettor: Token
    wager: WagerName
    number: Pip | None
    amount_cents: Amount
    reason: Text


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

    seat: Seat
    meter: Token
    amount_cents: Amount
    reading_centicents: Centicents
    meter_seq: Number


# --------------------------------------------------------------------------------------------------------- round: the deal


@event("cards_dealt")
class CardsDealt(Event, frozen=True, kw_only=True):
    """One card or a stack went to a position, in the order dealt."""

    to: Position | Literal["burn", "side"]
    cards: Annotated[list[SeenCard], Meta(min_length=1, max_length=60)]
    face_up: bool


@event("card_drawn_in_error")
class CardDrawnInError(Event, frozen=True, kw_only=True):
    """A card left the shoe in error without its face being exposed; the shoe's reader knows it."""

    card: SeenCard


@event("card_exposed")
class CardExposed(Event, frozen=True, kw_only=True):
    """A card's face was exposed: whose (a position, or a stack not yet delivered), and by whom."""

    whose: Position | Literal["stack"]
    by: Literal["dealer", "player", "device"]
    card: SeenCard


@event("card_found_face_up")
class CardFoundFaceUp(Event, frozen=True, kw_only=True):
    """A card was found face up in the shoe or the deck while dealing."""

    card: SeenCard


@event("hand_elected")
class HandElected(Event, frozen=True, kw_only=True):
    """A player whose card was exposed chose to play out or to void the hand."""

    seat: Seat
    election: Literal["play", "void"]


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

    position: Position
    high: Cards
    medium: Cards
    low: Cards
    by: Literal["player", "dealer"]


@event("hand_reset")
class HandReset(Event, frozen=True, kw_only=True):
    """Hands that were already set were set again, with the reason given at the table."""

    position: Position
    high: Cards
    medium: Cards
    low: Cards
    by: Literal["player", "dealer", "floorperson"]
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

    seat: Seat
    wager: WagerName
    result: Literal["win", "lose", "tie"]


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

    seat: Seat
    bettor: Token
    wager: WagerName
    number: Pip | None
    amount_cents: Amount
    reason: Literal["lost", "foul", "surrendered", "abandoned", "other"]


@event("wager_paid")
class WagerPaid(Event, frozen=True, kw_only=True):
    """A wager was paid: winnings, and apart from them the part of the stake that went back with them.

    A payout from two sources is two events; `winnings_cents` never includes the stake.
    """

    seat: Seat
    bettor: Token
    wager: WagerName
    number: Pip | None
    stake_cents: Amount
    winnings_cents: Amount
    source: Literal["inventory", "slip", "player_dealer"]


@event("wager_returned")
class WagerReturned(Event, frozen=True, kw_only=True):
    """A stake, or what remained of it, went back to the bettor without winnings."""

    seat: Seat
    bettor: Token
    wager: WagerName
    number: Pip | None
    amount_cents: Amount
    reason: Literal["push", "void", "uncovered", "late", "other"]


@event("wager_abandoned")
class WagerAbandoned(Event, frozen=True, kw_only=True):
    """The bettor left during the round and the wagers at the seat were considered abandoned."""

    seat: Seat
    bettor: Token


@event("vigorish_taken")
class VigorishTaken(Event, frozen=True, kw_only=True):
    """A commission was taken on a wager."""

    seat: Seat
    bettor: Token
    amount_cents: Amount


@event("envy_paid")
class EnvyPaid(Event, frozen=True, kw_only=True):
    """An Envy Bonus was paid to `seat` for the hand of `for_position`."""

    seat: Seat
    wager: EnvyWager
    for_position: Position
    amount_cents: Amount


@event("progressive_won")
class ProgressiveWon(Event, frozen=True, kw_only=True):
    """The controller recorded a meter winner: the meter at that turn, the share taken, the meter after it."""

    seat: Seat
    meter: Token
    share_bp: BasisPoints
    reading_centicents: Centicents
    after_centicents: Centicents
    meter_seq: Number


@event("payout_validated")
class PayoutValidated(Event, frozen=True, kw_only=True):
    """A payout was validated by a person with a role."""

    seat: Seat
    wager: WagerName
    by: Token
    role: Literal["dealer", "floorperson", "pit_manager", "shift_manager"]


@event("payout_documented")
class PayoutDocumented(Event, frozen=True, kw_only=True):
    """The documentation of a payout that is not paid from the table inventory was completed."""

    seat: Seat
    wager: WagerName
    document: Token
    amount_cents: Amount


@event("cards_collected")
class CardsCollected(Event, frozen=True, kw_only=True):
    """Cards went to the discard rack: of one position, the stub, what lay burnt or face up, or all that remained.

    `counted` is how many the dealer counted face down, null where no count was made.
    """

    deck: Token
    of: Position | Literal["stub", "aside", "all"]
    count: Count
    counted: Count | None


@event("round_voided")
class RoundVoided(Event, frozen=True, kw_only=True):
    """The round (`scope` "round") or one seat's hand was declared void."""

    scope: Literal["round"] | Seat
    reason: Literal[
        "wrong_start", "wrong_count", "stub_count", "face_up_cards", "exposed_stack", "device_failed", "exposed_card",
        "floor_decision",
    ]  # fmt: skip


@event("round_closed")
class RoundClosed(Event, frozen=True, kw_only=True):
    """The round of play is complete; documents for slips may follow."""

    by: Token


# ------------------------------------------------------------------------------------------------------------ corrections


class Replacement(Strict, frozen=True, kw_only=True):
    """The whole event that stands in for a superseded one: its type, version, round and payload."""

    type: Annotated[str, Meta(pattern=r"\A[a-z_]{1,40}\Z")]
    version: Number
    round_no: Number | None
    payload: dict[str, Any]

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

    supersedes_seq: Number
    supersedes_event_id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    replacement: Replacement | None
    by: Token
    reason: Text
