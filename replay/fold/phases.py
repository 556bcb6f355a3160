"""The literal phase table: what each event means for the round at a table, in every phase it can arrive in.

Invariant: every registered event type has a row, by its `KIND` (versions make no difference), and every row has a column for
every phase; a test checks it. Events that only meters, reviews or observed rounds have share one row. An event never fails here:
out of its place it is evidence of a fault, not an error.

`SAME`: the event belongs to the table or to the round as it is. `STRAY`: it speaks of a round if none is open
(unless it names a round just closed, to which it then comes late). `OPENS` ends an unclosed round before it.
"""

from enum import Enum

from events.vocabulary import model
from events.vocabulary.model import REGISTRY, Event


class Phase(Enum):
    """The phase of the round of play at a table."""

    BETWEEN = "between rounds"
    BETTING = "betting"
    NO_MORE_BETS = "no more bets"
    DEALING = "dealing"
    SETTING = "setting the hands"
    SETTLING = "settling"
    VOIDED = "voided"


class Move(Enum):
    """The effect of an event that does not simply lead to the next phase."""

    SAME = "same"
    STRAY = "stray"


SAME, STRAY = Move.SAME, Move.STRAY
BETWEEN, BETTING, CLOSED = Phase.BETWEEN, Phase.BETTING, Phase.NO_MORE_BETS
DEALING, SETTING, SETTLING, VOIDED = Phase.DEALING, Phase.SETTING, Phase.SETTLING, Phase.VOIDED

PHASES = tuple(Phase)

_ANY = (SAME,) * 7
_IN_ROUND = (STRAY,) + (SAME,) * 6
_NOT_HERE = (STRAY,) * 7

# fmt: off
TABLE: dict[type[Event], tuple[Phase | Move, ...]] = {
    **dict.fromkeys((cls.KIND for cls in REGISTRY.values() if cls.PLACE.keys().isdisjoint(("table", "property"))), _NOT_HERE),
    #                          BETWEEN  BETTING    CLOSED     DEALING    SETTING    SETTLING   VOIDED
    model.PropertyConfigured:  _ANY,
    model.PropertyApplied:     _ANY,
    model.VerdictsAdopted:     _ANY,
    model.GamingDayOpened:     _ANY,
    model.ShiftChanged:        _ANY,
    model.RulesFiled:          _ANY,
    model.FilingSigned:        _ANY,
    model.EntryInitialed:      _ANY,
    model.ChapterPublished:    _ANY,
    model.TableOpened:         _ANY,
    model.TableClosed:         _ANY,
    model.InventoryCounted:    _ANY,
    model.DealerTappedIn:      _ANY,
    model.DealerTappedOut:     _ANY,
    model.DeckReceived:        _ANY,
    model.DeckInspected:       _ANY,
    model.JokerDestroyed:      _ANY,
    model.DeckInPlay:          _ANY,
    model.DeckRemoved:         _ANY,
    model.CardsSpread:         _ANY,
    model.CardsWashed:         _ANY,
    model.DiceReceived:        _ANY,
    model.DiceRemoved:         _ANY,
    model.PatronSeated:        _ANY,
    model.PatronLeft:          _ANY,
    model.PatronBarred:        _ANY,
    model.BuyIn:               _ANY,
    model.MarkerIssued:        _ANY,
    model.FillReceived:        _ANY,
    model.CreditSent:          _ANY,
    model.DropCounted:         _ANY,
    model.DeviceFailed:        _ANY,
    model.DeviceCovered:       _ANY,
    model.DeviceRestored:      _ANY,
    model.DeviceAlarmed:       _ANY,
    model.ForeignCardFound:    _ANY,
    model.IntakeRefused:       _ANY,
    model.KeyPublished:        _ANY,
    model.KeyRetired:          _ANY,
    model.EventCorrected:      _ANY,
    model.CardBurned:          _ANY,
    model.CoverCardPlaced:     _ANY,
    model.MysteryArmed:        _ANY,
    model.PlayerDealerOffered: _ANY,
    model.CollectionTaken:     _ANY,
    model.CardsShuffled:       _ANY,
    model.CutOffered:          _ANY,
    model.CardsCut:            _ANY,
    model.RecutOrdered:        _ANY,
    model.RoundOpened:         (BETTING, BETTING,   BETTING,   BETTING,   BETTING,   BETTING,   BETTING),
    model.ShakerShaken:        _IN_ROUND,
    model.ShakerActivated:     _IN_ROUND,
    model.DiceAnnounced:       _IN_ROUND,
    model.MysteryHit:          _IN_ROUND,
    model.CoverCardReached:    _IN_ROUND,
    model.DecisionMade:        _IN_ROUND,
    model.WagerHandled:        _IN_ROUND,
    model.PlayerDealerWagered: _IN_ROUND,
    model.ActionButtonPlaced:  _IN_ROUND,
    model.PileSelected:        _IN_ROUND,
    model.DiceRolled:          _IN_ROUND,
    model.TotalAnnounced:      _IN_ROUND,
    model.NumberDrawn:         _IN_ROUND,
    model.StartAnnounced:      _IN_ROUND,
    model.ShakerCovered:       _IN_ROUND,
    model.WagerPlaced:         _IN_ROUND,
    model.WagerRemoved:        _IN_ROUND,
    model.WagerRefused:        _IN_ROUND,
    model.NoMoreBets:          (STRAY,   CLOSED,    SAME,      SAME,      SAME,      SAME,      SAME),
    model.ProgressiveLocked:   _IN_ROUND,
    model.LammerPlaced:        _IN_ROUND,
    model.ProgressiveAccepted: _IN_ROUND,
    model.CardsDealt:          (STRAY,   DEALING,   DEALING,   SAME,      SAME,      SAME,      SAME),
    model.CardDrawnInError:    _IN_ROUND,
    model.CardExposed:         _IN_ROUND,
    model.CardFoundFaceUp:     _IN_ROUND,
    model.BoxedCardFound:      _IN_ROUND,
    model.StackMoved:          _IN_ROUND,
    model.HandElected:         _IN_ROUND,
    model.StubCounted:         _IN_ROUND,
    model.HandExamined:        _IN_ROUND,
    model.HandSet:             (STRAY,   SETTING,   SETTING,   SETTING,   SAME,      SAME,      SAME),
    model.HandReset:           (STRAY,   SETTING,   SETTING,   SETTING,   SAME,      SAME,      SAME),
    model.Surrendered:         _IN_ROUND,
    model.HandRevealed:        _IN_ROUND,
    model.ResultAnnounced:     _IN_ROUND,
    model.EnvyAcknowledged:    _IN_ROUND,
    model.LightSeen:           _IN_ROUND,
    model.WagerTaken:          (STRAY,   SETTLING,  SETTLING,  SETTLING,  SETTLING,  SAME,      SAME),
    model.WagerPaid:           (STRAY,   SETTLING,  SETTLING,  SETTLING,  SETTLING,  SAME,      SAME),
    model.WagerReturned:       (STRAY,   SAME,      SAME,      SETTLING,  SETTLING,  SAME,      SAME),
    model.WagerAbandoned:      _IN_ROUND,
    model.VigorishTaken:       _IN_ROUND,
    model.EnvyPaid:            (STRAY,   SETTLING,  SETTLING,  SETTLING,  SETTLING,  SAME,      SAME),
    model.ProgressiveWon:      _IN_ROUND,
    model.PayoutValidated:     _IN_ROUND,
    model.PayoutDocumented:    _IN_ROUND,
    model.CardsCollected:      _IN_ROUND,
    model.RoundVoided:         (STRAY,   VOIDED,    VOIDED,    VOIDED,    VOIDED,    VOIDED,    SAME),
    model.RoundClosed:         (STRAY,   BETWEEN,   BETWEEN,   BETWEEN,   BETWEEN,   BETWEEN,   BETWEEN),
}
# fmt: on

COLUMN: dict[Phase, int] = {phase: column for column, phase in enumerate(PHASES)}
"""Phase → its column in `TABLE`."""

USED_UP: tuple[type[Event], ...] = (model.DealerTappedIn, model.CutOffered, model.CardsCut, model.RecutOrdered)
"""Events that count until the next cards are dealt."""
LASTS_A_SHOE: tuple[type[Event], ...] = (model.CardsShuffled, model.CardBurned, model.CoverCardPlaced)
"""Events that count until the next shuffle."""
OF_DECKS: tuple[type[Event], ...] = (
    model.DeckReceived,
    model.DeckInspected,
    model.JokerDestroyed,
    model.DeckInPlay,
    model.DeckRemoved,
    model.CardsSpread,
    model.CardsWashed,
    model.ForeignCardFound,
)
"""Events that count as long as there are decks of their time at the table."""
OF_METERS: tuple[type[Event], ...] = (model.ProgressiveAccepted, model.ProgressiveWon, model.MysteryArmed, model.MysteryHit)
"""Events that count until the next reading."""
OF_POSITION: tuple[type[Event], ...] = (model.PlayerDealerOffered, model.PlayerDealerWagered)
"""Events that count until another player-dealer has the position."""

NEWEST_COUNTS = frozenset(
    {model.DeviceFailed, model.DeviceAlarmed, model.DeviceCovered, model.DeviceRestored, *OF_METERS, *OF_POSITION}
)
"""Events that say how something is: one that comes after rounds in which its device spoke again changes nothing any more."""

LEDGER_EVENTS = frozenset(
    {model.InventoryCounted, model.FillReceived, model.CreditSent, model.DropCounted, model.BuyIn, model.MarkerIssued}
)
"""The events of the table's accounting, which is kept apart from its rounds (D27)."""
