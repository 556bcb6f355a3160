"""Which streams each type of event may be in, and who writes it: one row for every type of the vocabulary.

Invariant: a type without a row cannot be appended. The appender refuses a type in a kind of stream that its row does not name,
whoever writes. A door (`rack ingest`, the desk, `rack keys`) refuses the types of other writers. Readers do not check this:
stored events are read wherever they are.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from events.errors import WrongPlace
from events.vocabulary import model
from events.vocabulary.model import Event, EventCorrected

Kind = Literal["table", "meter", "review", "property", "observed"]
"""What a stream is of: the part of its name before the slash."""

Writer = Literal["device", "desk", "keys", "office", "pit", "count", "intake"]
"""Who writes events: devices (the floor's terminals too), the desk in a person's name, `rack keys`, the property's office, which
files the rules, people in the pit and in the count room, and intake itself, which leaves a notice for what it refused."""

Row = Mapping[Kind, frozenset[Writer]]
"""Kind of stream → who writes there."""

_DEVICE, _DESK, _KEYS, _OFFICE, _PIT, _COUNT, _INTAKE = (
    frozenset[Writer]({name}) for name in ("device", "desk", "keys", "office", "pit", "count", "intake")
)
_TABLE: Row = {"table": _DEVICE}
_PIT_TOO: Row = {"table": _DEVICE | _PIT}
_METER: Row = {"meter": _DEVICE}
_BOTH: Row = {"table": _DEVICE, "meter": _DEVICE}
_REVIEW: Row = {"review": _DESK}
_OBSERVED: Row = {"observed": _DESK}
_ROUND: Row = {"table": _DEVICE, "observed": _DESK}

_ROWS: tuple[tuple[Row, tuple[type[Event], ...]], ...] = (
    (
        {
            "table": _DEVICE | _OFFICE | _PIT,
            "meter": _DEVICE,
            "review": _DESK,
            "observed": _DESK,
            "property": _OFFICE | _KEYS,
        },
        (model.GamingDayOpened,),
    ),
    ({"property": _OFFICE}, (model.PropertyConfigured, model.PropertyApplied, model.VerdictsAdopted)),
    ({"table": _DEVICE | _OFFICE}, (model.RulesFiled,)),
    ({"table": _OFFICE}, (model.FilingSigned,)),
    ({"table": _PIT}, (model.EntryInitialed,)),
    ({"property": _OFFICE, "table": _OFFICE, "observed": _DESK}, (model.ChapterPublished,)),
    ({"property": _KEYS}, (model.KeyPublished, model.KeyRetired)),
    ({"table": _INTAKE, "meter": _INTAKE}, (model.IntakeRefused,)),
    ({"table": _DEVICE | _PIT | _COUNT, "meter": _DEVICE, "observed": _DESK}, (model.EventCorrected,)),
    (_BOTH, (model.MysteryArmed,)),
    ({**_BOTH, **_OBSERVED}, (model.MysteryHit,)),
    (_TABLE, (model.RoundOpened,)),
    (
        _OBSERVED,
        (
            model.ObservationOpened,
            model.ObservationClosed,
            model.RoundObserved,
            model.RoundUnreadable,
            model.EntryConfirmed,
            model.EntryLineAdded,
            model.VerdictUnveiled,
        ),
    ),
    (_METER, (model.MeterSet, model.MeterAdvanced, model.MeterReset)),
    (
        _PIT_TOO,
        (  # the table, as people in the pit tell of it too: its shifts, dealers, money, devices
            model.ShiftChanged,
            model.TableOpened,
            model.TableClosed,
            model.InventoryCounted,
            model.DealerTappedIn,
            model.DealerTappedOut,
            model.FillReceived,
            model.CreditSent,
            model.DeviceFailed,
            model.DeviceCovered,
            model.DeviceRestored,
            model.DeviceAlarmed,
        ),
    ),
    ({"table": _DEVICE | _COUNT}, (model.DropCounted,)),
    (
        _TABLE,
        (  # its equipment, its patrons
            model.DeckReceived,
            model.DeckInspected,
            model.JokerDestroyed,
            model.DeckInPlay,
            model.DeckRemoved,
            model.CardsSpread,
            model.CardsWashed,
            model.DiceReceived,
            model.DiceRemoved,
            model.PatronSeated,
            model.PatronLeft,
            model.PatronBarred,
            model.BuyIn,
            model.MarkerIssued,
            model.ForeignCardFound,
        ),
    ),
    (
        _ROUND,
        (  # the round: shuffle, start, wagers, cards, hands
            model.CardsShuffled,
            model.CutOffered,
            model.CardsCut,
            model.RecutOrdered,
            model.ShakerShaken,
            model.ShakerActivated,
            model.DiceRolled,
            model.DiceAnnounced,
            model.TotalAnnounced,
            model.NumberDrawn,
            model.StartAnnounced,
            model.ShakerCovered,
            model.CoverCardPlaced,
            model.CoverCardReached,
            model.CardBurned,
            model.WagerPlaced,
            model.WagerRemoved,
            model.WagerRefused,
            model.WagerHandled,
            model.NoMoreBets,
            model.ProgressiveLocked,
            model.LammerPlaced,
            model.ProgressiveAccepted,
            model.CardsDealt,
            model.CardDrawnInError,
            model.CardExposed,
            model.CardFoundFaceUp,
            model.BoxedCardFound,
            model.StackMoved,
            model.HandElected,
            model.StubCounted,
            model.HandExamined,
            model.HandSet,
            model.HandReset,
            model.DecisionMade,
            model.Surrendered,
            model.HandRevealed,
            model.ResultAnnounced,
            model.EnvyAcknowledged,
            model.LightSeen,
            model.PlayerDealerOffered,
            model.PlayerDealerWagered,
            model.ActionButtonPlaced,
            model.PileSelected,
            model.CollectionTaken,
        ),
    ),
    (
        _ROUND,
        (  # its settlement
            model.WagerTaken,
            model.WagerPaid,
            model.WagerReturned,
            model.WagerAbandoned,
            model.VigorishTaken,
            model.EnvyPaid,
            model.ProgressiveWon,
            model.PayoutValidated,
            model.PayoutDocumented,
            model.CardsCollected,
            model.RoundVoided,
            model.RoundClosed,
        ),
    ),
    (
        _REVIEW,
        (
            model.VideoMarked,
            model.AlarmAcknowledged,
            model.FindingAssigned,
            model.FindingNoted,
            model.FindingResolved,
            model.FindingReopened,
            model.DisputeOpened,
            model.DisputeClosed,
            model.InvestigationOpened,
            model.InvestigationClosed,
            model.CaseOpened,
            model.CaseAssigned,
            model.CaseDueMoved,
            model.CaseNoted,
            model.CaseAttached,
            model.RoundAttached,
            model.CaseLetterMade,
            model.CaseAppealed,
            model.SurveillanceNoted,
            model.ShiftSignedOver,
            model.ShiftAccepted,
            model.RecordViewed,
            model.RecordExported,
        ),
    ),
)


def _by_type(rows: Iterable[tuple[Row, tuple[type[Event], ...]]]) -> dict[str, Row]:
    row_of: dict[str, Row] = {}
    for row, classes in rows:
        for cls in classes:
            if cls.TYPE in row_of:
                raise TypeError(f"{cls.TYPE} stands in two rows of where events may stand")
            row_of[cls.TYPE] = row
    return row_of


PLACES: dict[str, Row] = _by_type(_ROWS)
"""Type of an event (all its versions) → kind of stream → who writes it there."""

_WRITERS: dict[tuple[str, str], frozenset[Writer]] = {
    (kind, type_): writers for type_, row in PLACES.items() for kind, writers in row.items()
}
_NOBODY: frozenset[Writer] = frozenset()

_STREAMS: dict[Kind, str] = {
    "table": "a table's stream (table/<id>)",
    "meter": "a meter's stream (meter/<id>)",
    "review": "a review stream (review/<table>)",
    "property": "the property's stream (property/main)",
    "observed": "a stream of observed rounds (observed/<table>)",
}


def check_place(stream: str, payload: Event) -> None:
    """Raise `WrongPlace` if an event, its replacement or its added line may not be in this stream."""
    kind, type_ = stream.partition("/")[0], payload.TYPE
    if (kind, type_) not in _WRITERS:
        raise WrongPlace(f"{type_} may not stand in {stream}: expected {_expected(type_)}")
    if isinstance(payload, model.EntryLineAdded) and (kind, payload.line.type) not in _WRITERS:
        raise WrongPlace(
            f"entry_line_added in {stream} would add {payload.line.type}: expected {_expected(payload.line.type)}"
        )
    if isinstance(payload, EventCorrected) and payload.replacement is not None:
        type_ = payload.replacement.type
        if (kind, type_) not in _WRITERS:
            raise WrongPlace(
                f"event_corrected in {stream} would put {type_} in the place of event {payload.supersedes_seq}: "
                f"expected an event of this stream; {type_} belongs in {_expected(type_)}"
            )


def writers_of(stream: str, type_: str) -> frozenset[Writer]:
    """Return who writes events of a type in a stream of this kind; empty if the stream does not take the type."""
    return _WRITERS.get((stream.partition("/")[0], type_), _NOBODY)


def _expected(type_: str) -> str:
    return (
        " or ".join(_STREAMS[kind] for kind in PLACES.get(type_, ()))
        or "no stream: events/vocabulary/places.py has no row for it"
    )
