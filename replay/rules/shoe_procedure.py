"""Six decks dealt shoe by shoe: shuffle, cut, cover card, burn cards, batches, and the copies of each card.

Annex A, rulemaking 125-223, §§ 686a.3 to 686a.5, 686a.7(c), (d), (l), 686a.9(a), (b). `shoe_state.py` holds the state between
rounds.
"""

from collections.abc import Iterator, Mapping, Sequence

from events.vocabulary import model
from replay.findings import name
from replay.fold.preparations import deck_at_the_deal, preparations, table_at_the_deal
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.shoe_state import Batch, ShoeState, cards_of, on_the_table
from replay.fold.table_state import NOT_STATED, Deck, Preparation
from replay.rules.equipment import cut_before, first_cut, recut_in_turn, shuffler
from replay.rules.rule import Departure, Indeterminate, rule
from rulebook.chapters.rulebook import Rulebook

SELF_SHUFFLING = ("continuous", "automated_counting")
"""Devices that reshuffle by themselves: § 686a.5(b)-(g) do not apply (§ 686a.5(h))."""
JOKER = "Jk"


def shoe_of(round_: Round) -> ShoeState:
    """Return the shoe's state when the round opened."""
    return round_.before.shoe or ShoeState()


def batch_of(round_: Round) -> Batch:
    """Return the state of the round's batch when the round opened."""
    return shoe_of(round_).batches.get(round_.deck, Batch())


def shoe_begun(round_: Round) -> int | None:
    """Return the event that made this the first round of a shoe: a shuffle, or a new batch; None if it goes on."""
    shuffles = [step.seq for step in preparations(round_) if step.kind == "shuffle"]
    batch, deck = batch_of(round_), round_.before.decks.get(round_.deck)
    if shuffles:
        return shuffles[-1]
    if batch.fresh:
        return batch.shuffled
    return deck.received_seq if deck is not None and not deck.used else None


def reshuffles(round_: Round) -> list[tuple[RecordedEvent, RecordedEvent]]:
    """Shuffles of the round's own batch between two of its cards, each with the card dealt next (§ 686a.9(b))."""
    cards = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to not in ("burn", "side")]
    last_before: dict[int, tuple[RecordedEvent, RecordedEvent]] = {}
    for fact in round_.of(model.CardsShuffled):
        following = next((card for card in cards if card.seq > fact.seq), None)
        if fact.payload.deck == round_.deck and following is not None and cards[0].seq < fact.seq:
            last_before[following.seq] = (fact, following)
    return list(last_before.values())


# ------------------------------------------------------------------------------------------------------ the cards, .3, .9(a)


def gone(round_: Round) -> Mapping[str, int]:
    """Return how many copies of each card have certainly left the shoe, before this round, since the batch was last complete."""
    batch = batch_of(round_)
    goes_on = batch.known and not batch.fresh and round_.covers("shuffle")
    # a batch that was not dealt last came back into play: all its cards lay together in between
    return batch.out if goes_on and shoe_of(round_).last_batch == round_.deck else {}


def _left_the_shoe(round_: Round, book: Rulebook) -> Iterator[tuple[RecordedEvent, str | None, int]]:
    """Yield each card that left the shoe, in order, with the number of its copies that certainly left before, since the batch
    was last complete.

    A card dealt right after a copy of it was found face up may be that copy, and is not counted again. A shuffle in the
    middle of the round leaves out what lies on the table.
    """
    left = [(fact.seq, fact.payload) for fact in round_.of(model.CardsDealt)]
    out: dict[str, int] = dict(gone(round_)) if shuffler(round_, book) != "continuous" else {}
    found: str | None = None
    for fact in round_.in_order(model.CardsShuffled, model.CardsDealt, model.CardBurned, model.CardFoundFaceUp):
        event = fact.payload
        if isinstance(event, model.CardsShuffled):
            out = on_the_table(left, fact.seq) if event.deck == round_.deck else out
            continue
        for card in cards_of(event):
            if card is not None and card == found:
                out[card] -= 1
            yield fact, card, out.get(card, 0) if card is not None else 0
            if card is not None:
                out[card] = out.get(card, 0) + 1
            found = card if isinstance(event, model.CardFoundFaceUp) else None


@rule("DEAL-DECK", on=("686a.3(a)",))
def six_decks(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Six decks of 52: no joker, and no card more often than six times from one shoe."""
    copies, found = book.chapter.numbers["copies"], set[str]()
    endless = shuffler(round_, book) == "continuous"
    for fact, card, before in _left_the_shoe(round_, book):
        if card is None or card in found or (card != JOKER and (before < copies or endless)):
            continue
        found.add(card)
        observed = "a joker" if card == JOKER else f"{card} for the {before + 1}th time since the shuffle"
        yield Departure(
            "686a.3(a)",
            expected="decks without a joker" if card == JOKER else f"{card} at most {copies} times from one shoe",
            observed=observed,
            evidence=(fact,),
        )


@rule("DEAL-FACEUP", on=("686a.9(a)",))
def face_up_card(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A card found face up goes to the discard rack. A copy that comes next is the same card only if no other copy is left."""
    copies = book.chapter.numbers["copies"]
    last: tuple[RecordedEvent, str | None, int] | None = None
    for fact, card, before in _left_the_shoe(round_, book):
        was, last = last, (fact, card, before)
        if was is None or not isinstance(was[0].payload, model.CardFoundFaceUp) or card is None or was[1] != card:
            continue
        if was[2] + 2 <= copies:
            yield Indeterminate(f"{card} was found face up and dealt next: whether it was another copy cannot be told")
        elif isinstance(fact.payload, model.CardsDealt):
            yield Departure(
                "686a.9(a)",
                expected=f"{card} put in the discard rack",
                observed=f"dealt to {name(fact.payload.to)}; all other copies had left the shoe",
                evidence=(was[0], fact),
            )


@rule("EQUIP-BATCH", on=("686a.3(b)",))
def two_batches(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """With a shuffler there are two batches, of different backs, and each is used for every other shoe."""
    before = round_.before
    if not round_.covers("equipment") or not before.equipment_known or round_.first_card is None:
        return
    batches = {key: deck for key, deck in before.decks.items() if deck.in_play_us is not None}
    yield from _one_batch_with_a_shuffler(round_, batches)
    yield from _same_batch_again(round_, batches)
    yield from _batches_alike(round_, batches)


def _one_batch_with_a_shuffler(round_: Round, batches: Mapping[str, Deck]) -> Iterator[Departure]:
    shuffles = [step for step in preparations(round_) if step.kind == "shuffle"]
    if shuffles and shuffles[-1].detail == "automated" and len(batches) < 2:
        yield Departure(
            "686a.3(b)",
            expected="two batches with an automated shuffler",
            observed=f"{len(batches)} in play",
            evidence=(shuffles[-1].seq, round_.opened),
        )


def _same_batch_again(round_: Round, batches: Mapping[str, Deck]) -> Iterator[Departure]:
    before, begun, this = round_.before, shoe_begun(round_), round_.before.decks.get(round_.deck)
    again = before.last_deck == round_.deck and this is not None and this.used
    if begun is not None and len(batches) == 2 == before.previous_decks and again:
        yield Departure(
            "686a.3(b)(4)",
            expected=f"batch {next(key for key in batches if key != round_.deck)} for this shoe",
            observed=f"batch {round_.deck} again",
            evidence=(begun, round_.opened),
        )


def _batches_alike(round_: Round, batches: Mapping[str, Deck]) -> Iterator[Departure]:
    this = round_.before.decks.get(round_.deck)
    if this is None or this.used or not this.sure or this.back == NOT_STATED:
        return
    alike = [deck for key, deck in batches.items() if key != round_.deck and deck.sure and deck.back == this.back]
    if alike:
        yield Departure(
            "686a.3(b)(2)",
            expected="batches with backs of different colours",
            observed=f"both {this.back}",
            evidence=(this.received_seq, alike[0].received_seq, round_.opened),
        )


# ------------------------------------------------------------------------------------------ shuffle and cut, .5(a)-(c), .9(b)


@rule("DEAL-SHUFFLE", on=("686a.5(a)", "686a.5(g)"))
def shoe_shuffled(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """A batch is shuffled before its first card unless it came preshuffled, when it comes back into play, and after idle time."""
    first, before = round_.first_card, round_.before
    if first is None or not round_.covers("shuffle") or shuffler(round_, book) == "continuous":
        return
    begun, deck, batch = shoe_begun(round_), deck_at_the_deal(round_), batch_of(round_)
    is_new = deck is not None and begun == deck.received_seq and not deck.preshuffled
    if is_new or (begun is None and before.last_deck not in ("", round_.deck)):
        if not batch.known:
            yield Indeterminate(f"whether {round_.deck} was shuffled before it came into play is not on record")
            return
        observed, section = "a new batch, not shuffled" if is_new else "back in play and not shuffled", "686a.5(a)"
    elif deck is not None and not deck.used and not deck.preshuffled and deck.mixed_seq > (begun or deck.mixed_seq):
        observed, section = "shuffled before they were spread and washed, not after it", "686a.4(c)"
    elif _idle_shoe(round_) and (begun or 0) < before.idle_seq and shuffler(round_, book) not in SELF_SHUFFLING:
        observed, section = "not shuffled since the table was without players", "686a.5(g)"
    else:
        return
    yield Departure(
        section,
        expected=f"the cards of {round_.deck} shuffled before they are dealt",
        observed=observed,
        evidence=(round_.opened, first),
    )


def _idle_shoe(round_: Round) -> bool:
    """Whether the cards lay in shoe and rack while the table was without players; the cards of the other batch did not."""
    return round_.before.idle and round_.before.last_deck == round_.deck


@rule("DEAL-DEVICE", on=("686a.9(d)",))
def reshuffled_after_failure(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """When the shuffler jams, stops or does not complete its cycle, the cards are reshuffled.

    A failure concerns a shoe that begins with cards that the machine shuffled. If there are two batches it may have concerned the
    other one.
    """
    first = round_.first_card
    steps = [step for step in preparations(round_) if step.kind in ("shuffle", "failure")]
    shuffles = [step for step in steps if step.kind == "shuffle"]
    if first is None or not round_.covers("shuffle") or not shuffles or steps[-1].kind != "failure":
        return
    if shuffles[-1].detail == "manual":
        return
    if len([deck for deck in round_.before.decks.values() if deck.in_play_us is not None]) > 1:
        yield Indeterminate("the shuffler failed, and which of the batches it was shuffling is not on record")
    else:
        yield Departure(
            "686a.9(d)",
            expected="the cards reshuffled after the shuffler failed",
            observed=f"dealt after the failure ({steps[-1].detail})",
            evidence=(steps[-1].seq, first),
        )


@rule("OPEN-IDLE", on=("686a.5(g)",))
def return_to_play(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After a time without players the cards are spread and, as at the opening of the table, washed."""
    before = table_at_the_deal(round_)
    if not before.idle or not round_.covers("equipment") or round_.first_card is None:
        return
    if shuffler(round_, book) in SELF_SHUFFLING or (before.idle_spread and before.idle_washed):
        return
    yield Departure(
        "686a.5(g)",
        expected="the cards spread and washed for the first player to arrive",
        observed="not washed" if before.idle_spread else "not spread",
        evidence=(before.idle_seq, round_.opened),
    )


@rule("DEAL-CUT", on=("686a.5(b)", "686a.5(c)"))
def cut_offered_to(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """The cut is offered to the first to arrive, or where the cover card came; else from the dealer's right, in turn.

    If the last round does not show which of these applies, it is asked only that the cut was offered. After the first player
    refuses, any order is accepted; a player who cut was offered the cut.
    """
    found = first_cut(round_)
    if found is None:
        return
    offers, made = found
    seated = list((offers[0] if offers else made).seated)
    offered = [step.who for step in offers]
    if made.who != "dealer" and made.who not in offered:
        offered.append(made.who)
    if not round_.before.patrons_known or not seated:
        return
    entitled = _entitled(round_, seated)
    order = sorted(seated, reverse=True)
    if entitled is None:
        right, expected = bool(offered), "the cut offered to a player before the dealer cuts"
    elif entitled:
        right, expected = offered[:1] == [entitled], f"the cut offered first to {name(entitled)}"
    else:
        right = offered == order[: len(offered)] and (made.who != "dealer" or len(offered) == len(order))
        expected = "the cut offered to " + ", ".join(name(seat) for seat in order) + " in turn"
    accepted = next((step.who for step in offers if step.detail == "accepted"), None)
    if not right or (accepted is not None and made.who != accepted):
        yield Departure(
            "686a.5(b)" if entitled is None else "686a.5(c)",
            expected=expected,
            observed=("offered to " + ", ".join(name(seat) for seat in offered) if offered else "not offered")
            + f"; cut by {name(made.who)}",
            evidence=(*(step.seq for step in offers), made.seq),
        )


def _entitled(round_: Round, seated: Sequence[int]) -> int | None:
    """Who is offered the cut first: a seat; 0 for the one farthest to the dealer's right, in turn; None if no one can tell."""
    before, shoe = round_.before, shoe_of(round_)
    if before.just_opened:
        is_there = before.first_patron_seat in seated and not before.idle  # D519: who came next may count as the first
        return before.first_patron_seat if is_there else None
    if before.idle:  # § 686a.5(g): the opening begins again with the first player who arrives (D732)
        return before.first_patron_seat if before.first_patron_seat in seated else None
    if isinstance(shoe.cover_at, int):
        return shoe.cover_at if shoe.cover_at in seated else None
    return 0 if shoe.cover_at is not None or shoe.covered else None


@rule("DEAL-CUT", on=("686a.5(e)",))
def recut_by(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """A recut is made by the player who cut last or is next in turn, if the last round shows a turn (§ 686a.5(c), D385)."""
    found = first_cut(round_)
    if found is None or not round_.before.patrons_known or shuffler(round_, book) in SELF_SHUFFLING:
        return
    offers, made = found
    if _entitled(round_, (offers[0] if offers else made).seated) == 0:
        yield from recut_in_turn(round_, lambda seated: sorted(seated, reverse=True))


@rule("DEAL-CUT", on=("686a.9(b)",))
def reshuffled_cards_cut(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """Cards shuffled because the shoe ran out are cut in accordance with § 686a.5."""
    if not round_.covers("shuffle"):
        return
    for shuffle, following in reshuffles(round_):
        steps = [Preparation("shuffle", shuffle.seq, "dealer", 0, shuffle.payload.method, ())]
        for fact in round_.in_order(model.CardsCut, model.RecutOrdered):
            event = fact.payload
            if not shuffle.seq < fact.seq < following.seq:
                continue
            if isinstance(event, model.CardsCut):
                steps.append(Preparation("cut", fact.seq, event.by, event.depth, event.counted_from, ()))
            else:
                steps.append(Preparation("recut", fact.seq, event.by, 0, "", ()))
        yield from cut_before(round_, book, steps, following)


# ------------------------------------------------------------------------------------ cover card, burn card, .5(d), .7(c), (d)


@rule("DEAL-COVER", on=("686a.5(d)",))
def cover_card_placed(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After the cut the cover card is put in at least a quarter of the way from the bottom: of a preshuffled batch too (D379)."""
    first = round_.first_card
    placed = shoe_of(round_).placed
    at, size = placed, book.chapter.numbers["deck_size"]
    reshuffled = {shuffle.seq: shuffle.payload.count for shuffle, _ in reshuffles(round_)}
    exact = True
    for fact in round_.in_order(model.CardsShuffled, model.CoverCardPlaced, model.CardsDealt):
        event = fact.payload
        if isinstance(event, model.CoverCardPlaced):
            at = fact.seq, event.depth, event.counted_from
        elif isinstance(event, model.CardsShuffled) and fact.seq in reshuffled:
            exact = reshuffled[fact.seq] is not None
            size = reshuffled[fact.seq] or size
        elif isinstance(event, model.CardsDealt) and at is not None:
            yield from _too_low(at, size, exact)
            at = None
    made = cut_made(round_)
    by_device = shuffler(round_, book) in SELF_SHUFFLING and first_cut(round_) is None
    if made is None or first is None or by_device:
        return
    inserted = [fact.seq for fact in round_.of(model.CoverCardPlaced)] + ([placed[0]] if placed is not None else [])
    if not any(made.seq < seq < first.seq for seq in inserted):
        yield Departure(
            "686a.5(d)",
            expected="the cover card put into the cards after the cut",
            observed="not put in",
            evidence=(made.seq, first),
        )


def cut_made(round_: Round) -> Preparation | None:
    """Return the first cut of the cards since they were shuffled, by hand or not, or came to the table; or None."""
    steps = preparations(round_) if round_.covers("shuffle") else []
    shuffled = max((step.seq for step in steps if step.kind == "shuffle"), default=0)
    return next((step for step in steps if step.kind == "cut" and step.seq > shuffled), None)


def _too_low(placed: tuple[int, int, str], size: int, exact: bool) -> Iterator[Departure]:
    """Find a cover card under a quarter of the cards from the bottom; of a rack that no one counted `size` is the most."""
    seq, depth, counted_from = placed
    too_low = 4 * (depth if counted_from == "bottom" else size - depth) < size
    if too_low and (exact or counted_from == "top"):
        yield Departure(
            "686a.5(d)",
            expected="at least 1/4 of the way in from the bottom",
            observed=f"{depth} from the {counted_from}",
            evidence=(seq,),
        )


@rule("DEAL-COVER", on=("686a.7(d)", "686a.5(f)"))
def cover_card_passed(round_: Round, book: Rulebook) -> Iterator[Departure]:
    """After the cover card appears, the hand is completed and the cards are reshuffled before the next hand."""
    first, cover = round_.first_card, batch_of(round_).cover
    if first is not None and cover and shoe_begun(round_) is None and round_.covers("shuffle"):
        yield Departure(
            "686a.7(d)",
            expected="the cards reshuffled after the cover card came",
            observed="dealt from the same shoe",
            evidence=(cover, first),
        )


@rule("DEAL-BURN", on=("686a.7(c)", "686a.9(b)"))
def first_card_burned(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The first card of a shoe, of a new dealer, and after a shuffle in the middle of a round, goes to the discard rack."""
    first, shoe = round_.first_card, shoe_of(round_)
    if first is None or not round_.covers("deal"):
        return
    due: list[tuple[int, RecordedEvent, str, str]] = []
    begun = shoe_begun(round_) if shuffler(round_, book) != "continuous" else None
    if begun is not None and not round_.before.after_loss:  # else the shuffle may have been that of an earlier shoe
        due.append((max(begun, shoe.last_card), first, "686a.7(c)", "the first card of the shoe burnt"))
    cards = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to not in ("burn", "side")]
    due += [(since, card, "686a.7(c)", "a card burnt by the new dealer") for since, card in _newcomers(round_, cards)]
    due += [(shuffle.seq, card, "686a.9(b)", "the first card burnt after the shuffle") for shuffle, card in reshuffles(round_)]
    burnt = [*round_.of(model.CardBurned), *(f for f in round_.of(model.CardsDealt) if f.payload.to == "burn")]
    seqs = [shoe.burned, *(fact.seq for fact in burnt)]
    reported: set[int] = set()
    for since, card, section, expected in due:
        if card.seq in reported or any(since < seq < card.seq for seq in seqs):
            continue
        reported.add(card.seq)
        if any(round_.certainly_before(card, fact) is None for fact in burnt):
            yield Indeterminate("the clocks contradict the order of the burn card and the card dealt next")
            continue
        yield Departure(section, expected=expected, observed=f"dealt to {name(card.payload.to)}", evidence=(since, card))


def _newcomers(round_: Round, cards: Sequence[RecordedEvent]) -> Iterator[tuple[int, RecordedEvent]]:
    """Each dealer who came to the table and dealt in this round: when, and the first card."""
    came, dealer = [shoe_of(round_).newcomer] if shoe_of(round_).newcomer else [], round_.before.dealer
    for fact in round_.of(model.DealerTappedIn):
        if fact.payload.dealer != dealer and (shoe_of(round_).last_card or cards[0].seq < fact.seq):
            came.append(fact.seq)
        dealer = fact.payload.dealer
    for since in came:
        following = next((card for card in cards if card.seq > since), None)
        if following is not None:
            yield since, following
