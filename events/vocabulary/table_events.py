"""Facts of the property, of meters, and of a table between and around its rounds."""

from typing import Annotated, Literal

from msgspec import Meta

from events.vocabulary.base import (
    METER,
    TABLE,
    TABLE_AND_PIT,
    Amount,
    BasisPoints,
    Centicents,
    Count,
    Day,
    DealMethod,
    Device,
    Digest,
    Event,
    Number,
    Seat,
    Shuffler,
    SubmissionText,
    Text,
    Token,
    at,
    event,
)

# --------------------------------------------------------------------------------------------------------------- property


@event("property_configured", at(property="office"))
class PropertyConfigured(Event, frozen=True, kw_only=True):
    """The property's name, time zone (IANA), start of the gaming day (`HH:MM` local) and currency (ISO 4217)."""

    currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z")]
    gaming_day_cutover: Annotated[str, Meta(pattern=r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
    name: Text
    time_zone: Text


@event("property_applied", at(property="office"))
class PropertyApplied(Event, frozen=True, kw_only=True):
    """The property was made from its file, whose SHA-256 this is. `only_office_files`: from here on no device files rules."""

    by: Token
    only_office_files: bool
    sha256: Digest


@event("gaming_day_opened", at(table="device office pit", meter="device", review="desk", observed="desk", property="office keys"))
class GamingDayOpened(Event, frozen=True, kw_only=True):
    """A gaming day opened in this stream. The event itself already belongs to the new day."""

    gaming_day: Day


@event("shift_changed", TABLE_AND_PIT)
class ShiftChanged(Event, frozen=True, kw_only=True):
    """A new shift began at this table."""

    shift: Token


@event("rules_filed", at(table="device office"))
class RulesFiled(Event, frozen=True, kw_only=True):
    """A rules submission, whole, as filed for this table; `sha256` is of the UTF-8 bytes of `toml`."""

    effective_gaming_day: Day
    sha256: Digest
    submission: Token
    toml: SubmissionText


@event("filing_signed", at(table="office"))
class FilingSigned(Event, frozen=True, kw_only=True):
    """A second person signed a filing of rules; `signs` is the filing's number in the table's stream."""

    by: Token
    signs: Number


@event("chapter_published", at(property="office", table="office", observed="desk"))
class ChapterPublished(Event, frozen=True, kw_only=True):
    """The property published an amended chapter, whole: it judges rounds from `effective_gaming_day` on.

    `by` and `signed_by` are two people of compliance; `sha256` is of the UTF-8 bytes of `toml`.
    """

    by: Token
    chapter: Token
    edition: Annotated[int, Meta(ge=2, le=999)]
    effective_gaming_day: Day
    sha256: Digest
    signed_by: Token
    toml: SubmissionText


@event("verdicts_adopted", at(property="office"))
class VerdictsAdopted(Event, frozen=True, kw_only=True):
    """Two people adopted the verdicts of a new engine on rounds that an earlier one had judged: the shadow `shadow`.

    `engine` is the version and digest of everything that decides verdicts, `sha256` that of the shadow's results; `changed` is
    the number of rounds with a different verdict.
    """

    by: Token
    changed: Count
    engine: Text
    reason: Text
    sha256: Digest
    shadow: Token
    signed_by: Token


# ------------------------------------------------------------------------------------------------------------------ table


@event("table_opened", TABLE_AND_PIT)
class TableOpened(Event, frozen=True, kw_only=True):
    """The table opened for gaming with this game and equipment. `game` is the module's name."""

    deal_method: DealMethod
    game: Annotated[str, Meta(pattern=r"\A[a-z0-9_]{1,32}\Z")]
    seats: Annotated[int, Meta(ge=1, le=7)]
    shuffler: Shuffler


@event("table_closed", TABLE_AND_PIT)
class TableClosed(Event, frozen=True, kw_only=True):
    """The table closed for gaming."""

    by: Token


@event("inventory_counted", TABLE_AND_PIT)
class InventoryCounted(Event, frozen=True, kw_only=True):
    """The table inventory was counted as opener or closer, in cents."""

    amount_cents: Amount
    by: Token
    kind: Literal["opener", "closer"]
    verified_by: Token | None


@event("dealer_tapped_in", TABLE_AND_PIT)
class DealerTappedIn(Event, frozen=True, kw_only=True):
    """A dealer took over the table."""

    dealer: Token


@event("dealer_tapped_out", TABLE_AND_PIT)
class DealerTappedOut(Event, frozen=True, kw_only=True):
    """A dealer left the table."""

    dealer: Token


@event("deck_received", TABLE)
class DeckReceived(Event, frozen=True, kw_only=True):
    """A deck came to the table. `preshuffled`: inspected and shuffled beforehand (§ 603a.16(u), (v))."""

    back_colour: Text
    deck: Token
    jokers: Annotated[int, Meta(ge=0, le=2)]
    preshuffled: bool


@event("deck_inspected", TABLE)
class DeckInspected(Event, frozen=True, kw_only=True):
    """The dealer inspected a deck; `verified_by` is the floorperson, null if no one did."""

    by: Token
    deck: Token
    verified_by: Token | None


@event("joker_destroyed", TABLE)
class JokerDestroyed(Event, frozen=True, kw_only=True):
    """A second joker was torn in half and put back in the box; `witnessed_by` is the floorperson or null."""

    by: Token
    deck: Token
    witnessed_by: Token | None


@event("deck_in_play", TABLE)
class DeckInPlay(Event, frozen=True, kw_only=True):
    """A deck went into play; its time on the table starts here (D28)."""

    deck: Token


@event("deck_removed", TABLE)
class DeckRemoved(Event, frozen=True, kw_only=True):
    """A deck left the table."""

    deck: Token
    reason: Literal["changed", "incorrect_count", "damaged", "table_closed", "device_failed", "other"]


@event("cards_spread", TABLE)
class CardsSpread(Event, frozen=True, kw_only=True):
    """A deck was spread for inspection by the first player."""

    deck: Token
    face_up: bool
    inspected_by: Token | None


@event("cards_washed", TABLE)
class CardsWashed(Event, frozen=True, kw_only=True):
    """A deck was turned face down, washed and stacked."""

    deck: Token


@event("dice_received", TABLE)
class DiceReceived(Event, frozen=True, kw_only=True):
    """A set of three dice was placed in the shaker."""

    dice_set: Token


@event("dice_removed", TABLE)
class DiceRemoved(Event, frozen=True, kw_only=True):
    """A set of dice was taken from the table."""

    dice_set: Token


@event("patron_seated", TABLE)
class PatronSeated(Event, frozen=True, kw_only=True):
    """A patron (pseudonymous token) took a seat; one patron may hold two adjacent betting areas."""

    patron: Token
    seat: Seat


@event("patron_left", TABLE)
class PatronLeft(Event, frozen=True, kw_only=True):
    """A patron left a seat."""

    patron: Token
    seat: Seat


@event("patron_barred", TABLE)
class PatronBarred(Event, frozen=True, kw_only=True):
    """A patron may not wager until a reshuffle or until let in again (mid-shoe entry)."""

    patron: Token
    reason: Text


@event("buy_in", TABLE)
class BuyIn(Event, frozen=True, kw_only=True):
    """A patron bought chips at the table; cash and vouchers go to the drop box."""

    amount_cents: Amount
    form: Literal["cash", "voucher", "marker"]
    patron: Token
    seat: Seat


@event("marker_issued", TABLE)
class MarkerIssued(Event, frozen=True, kw_only=True):
    """A counter check was issued at the table."""

    amount_cents: Amount
    document: Token
    patron: Token
    seat: Seat


@event("fill_received", TABLE_AND_PIT)
class FillReceived(Event, frozen=True, kw_only=True):
    """Chips came to the table inventory from the cage."""

    amount_cents: Amount
    by: Token
    slip: Token


@event("fill_received", version=2)
class FillReceived2(FillReceived, frozen=True, kw_only=True):
    """Chips came to the table inventory from the cage, and a second person was there."""

    verified_by: Token


@event("credit_sent", TABLE_AND_PIT)
class CreditSent(Event, frozen=True, kw_only=True):
    """Chips went from the table inventory to the cage."""

    amount_cents: Amount
    by: Token
    slip: Token


@event("credit_sent", version=2)
class CreditSent2(CreditSent, frozen=True, kw_only=True):
    """Chips went from the table inventory to the cage, and a second person was there."""

    verified_by: Token


@event("entry_initialed", at(table="pit"))
class EntryInitialed(Event, frozen=True, kw_only=True):
    """A second person initialed an entry of the pit as it then counted; `entry` is its number in the table's stream."""

    by: Token
    entry: Number


@event("drop_counted", at(table="device count"))
class DropCounted(Event, frozen=True, kw_only=True):
    """The drop box of a named gaming day was counted (later, in the count room)."""

    amount_cents: Amount
    box: Token
    by: Token
    gaming_day: Day


@event("device_failed", TABLE_AND_PIT)
class DeviceFailed(Event, frozen=True, kw_only=True):
    """A device jammed, stopped, did not complete its cycle, or is unusable (`inoperative`)."""

    device: Device
    fault: Literal["jam", "stopped", "incomplete", "inoperative"]


@event("device_covered", TABLE_AND_PIT)
class DeviceCovered(Event, frozen=True, kw_only=True):
    """An unusable device was covered or got an out-of-order sign."""

    device: Device
    how: Literal["cover", "sign"]


@event("device_restored", TABLE_AND_PIT)
class DeviceRestored(Event, frozen=True, kw_only=True):
    """A device works again."""

    device: Device


@event("device_alarmed", TABLE_AND_PIT)
class DeviceAlarmed(Event, frozen=True, kw_only=True):
    """A device itself signaled a fault, such as by a red light; it need not say which."""

    alarm: Literal["red_light", "sound", "message", "other"]
    device: Device


@event("intake_refused", at(table="intake", meter="intake"))
class IntakeRefused(Event, frozen=True, kw_only=True):
    """Input from a device was refused; its bytes are in quarantine under this SHA-256."""

    reason: Text
    sha256: Digest
    size: Count


# ----------------------------------------------------------------------------------------------------------------- meters


@event("meter_set", METER)
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


@event("meter_advanced", METER)
class MeterAdvanced(Event, frozen=True, kw_only=True):
    """An accepted wager advanced the meter; the values are the controller's, after the advance."""

    reserve_centicents: Centicents
    round_no: Number
    seat: Seat
    table: Token
    value_centicents: Centicents
    wager_cents: Amount


@event("meter_reset", METER)
class MeterReset(Event, frozen=True, kw_only=True):
    """A winner took `share_bp` of the meter; the values are the controller's, after it."""

    paid_centicents: Centicents
    reserve_centicents: Centicents
    round_no: Number
    seat: Seat
    share_bp: BasisPoints
    table: Token
    value_centicents: Centicents
