"""The preparations of the table for a round's first card: before the round opened, and in it.

The theory of this file: a text asks what was done before the cards are dealt; when a device reports the round as open, it does
not ask. So what was done with the cards between the two counts as what was done before.
"""

from events.vocabulary import model
from replay.fold.derived import derived
from replay.fold.recorded_event import in_order
from replay.fold.round import Round
from replay.fold.table_state import Deck, Preparation, TableState

PREPARING = (
    model.PatronSeated,
    model.PatronLeft,
    model.CardsShuffled,
    model.CutOffered,
    model.CardsCut,
    model.RecutOrdered,
    model.DeviceFailed,
)
BEFORE_THE_SHUFFLE = (model.DeckInspected, model.JokerDestroyed, model.CardsSpread, model.CardsWashed)
"""The acts on a deck before its shuffle."""


@derived
def preparations(round_: Round) -> list[Preparation]:
    """Return the preparations of the round's deck: before the round opened, and in it before the first card."""
    steps = list(round_.before.preparations(round_.deck))
    seated = dict(round_.before.patrons)
    first = round_.first_card
    made = [fact for type_ in PREPARING for fact in round_.of(type_) if first is None or fact.seq < first.seq]
    for fact in in_order(made):
        event = fact.payload
        match event:
            case model.PatronSeated():
                seated[event.seat] = event.patron
            case model.PatronLeft():
                seated.pop(event.seat, None)
            case model.CardsShuffled() if event.deck == round_.deck:
                steps.append(Preparation("shuffle", fact.seq, "dealer", event.count or 0, event.method, ()))
            case model.CutOffered():
                detail = "accepted" if event.accepted else "refused"
                steps.append(Preparation("offer", fact.seq, event.seat, 0, detail, tuple(sorted(seated))))
            case model.CardsCut():
                step = Preparation("cut", fact.seq, event.by, event.depth, event.counted_from, tuple(sorted(seated)))
                steps.append(step)
            case model.RecutOrdered():
                steps.append(Preparation("recut", fact.seq, event.by, 0, "", ()))
            case model.DeviceFailed() if event.device == "shuffler":
                steps.append(Preparation("failure", fact.seq, "shuffler", 0, event.fault, ()))
    return steps


@derived
def table_at_the_deal(round_: Round) -> TableState:
    """Return the table's state at the first card, including the preparations made after the round opened."""
    first = round_.first_card
    made = [fact for type_ in BEFORE_THE_SHUFFLE for fact in round_.of(type_) if first is None or fact.seq < first.seq]
    if not made:
        return round_.before
    state = round_.before.at_opening()
    for fact in in_order(made):
        state.apply(fact)
    return state


def deck_at_the_deal(round_: Round) -> Deck | None:
    """Return the state of the round's deck at the first card; None if the table has no deck of that name."""
    return table_at_the_deal(round_).decks.get(round_.deck)
