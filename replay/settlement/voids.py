"""The start of the deal, who gets cards, and why a round must be void (58 Pa. Code §§ 688a.5(i), 688a.8 to 688a.10, 688a.13).

`void_grounds` returns the reasons; `dealing.py` finds rounds that were played on anyway.
"""

from collections.abc import Collection, Iterator, Sequence

import msgspec

from events.vocabulary import model
from replay.findings import name
from replay.fold.all_wagers_returned import is_returned_as_void
from replay.fold.derived import derived, derived_by_rules
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.settlement.game_terms import terms_of
from replay.settlement.stakes import stakes
from replay.settlement.void_ground import VoidGround
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position, starting_position

# What the record of a round must cover before the absence of a ground for a void means something.
GROUND_ASPECTS: dict[str, frozenset[str]] = {
    "wrong_start": frozenset({"start", "deal"}),
    "wrong_count": frozenset({"deal"}),
    "stub_count": frozenset({"stub"}),
    "face_up_cards": frozenset({"deal"}),
    "exposed_stack": frozenset({"deal"}),
    "exposed_card": frozenset({"deal"}),
    "exposed_dealer": frozenset({"deal"}),
    "device_failed": frozenset({"equipment"}),
    "floor_decision": frozenset(),
}

MISDEAL_SECTION = {"manual_shoe": "8(f)", "hand": "9(e)", "automated_shoe": "10(e)"}


class Start(msgspec.Struct, frozen=True):
    """The required start of the deal: every count that the record allows, the announcement, and the facts.

    `counts` are several if a die was not read, none if no roll counts. `valid`: the dice lay flat, or a number was drawn.
    """

    counts: tuple[int, ...]
    announced: int | None
    valid: bool
    evidence: tuple[int, ...]

    @property
    def positions(self) -> tuple[Position, ...]:
        """The possible starting positions."""
        return tuple(dict.fromkeys(starting_position(count) for count in self.counts))

    @property
    def positions_in_words(self) -> str:
        """The possible starting positions, by name."""
        return " or ".join(name(position) for position in self.positions)

    @property
    def is_wrongly_announced(self) -> bool:
        """Whether the announced total is impossible for the dice."""
        return bool(self.counts) and self.announced is not None and self.announced not in self.counts

    @property
    def count_in_words(self) -> str:
        """The count, or its range if a die was not read."""
        least, most = min(self.counts), max(self.counts)
        return f"{least}" if least == most else f"{least} to {most}"


def before_deal(round_: Round, facts: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Return those facts that came before the first card."""
    first = round_.first_card
    return [fact for fact in facts if first is None or fact.seq < first.seq]


@derived
def start_of(round_: Round) -> Start | None:
    """Return the start by dice or number before the first card, or None without a record."""
    drawn = before_deal(round_, round_.of(model.NumberDrawn))
    if drawn:
        number = drawn[-1].payload.number
        return Start((number,), None, True, (drawn[-1].seq,))
    rolls = before_deal(round_, round_.rolls)
    if not rolls:
        return None
    roll = rolls[-1]
    totals = [fact for fact in before_deal(round_, round_.of(model.TotalAnnounced)) if fact.seq > roll.seq]
    announced = totals[-1].payload.total if totals else None
    evidence = (roll.seq, *(fact.seq for fact in totals[-1:]))
    if roll.payload.lie != "flat":
        return Start((), announced, False, evidence)
    read = [die for die in roll.payload.dice if die is not None]
    unread = len(roll.payload.dice) - len(read)
    counts = tuple(range(sum(read) + unread, sum(read) + 6 * unread + 1))
    return Start(counts, announced, True, evidence)


def first_position(round_: Round) -> Position | None:
    """The position of the first card, if the order of the deal is on record."""
    first = round_.first_card
    if first is None or "deal" not in round_.opened.payload.observed:
        return None
    position: Position = first.payload.to
    return position


def covers_ground(round_: Round, reason: str) -> bool:
    """Return whether the record would show what a void was declared for (D116)."""
    return GROUND_ASPECTS[reason].issubset(round_.opened.payload.observed)


@derived_by_rules
def void_grounds(round_: Round, book: Rulebook) -> tuple[VoidGround, ...]:
    """Return every ground on which the round must be void (§§ 688a.8(f), 688a.13): certain, or assumed in this reading of it."""
    return tuple(ground for ground in _grounds(round_, book) if ground.counts(round_))


def open_grounds(round_: Round, book: Rulebook) -> tuple[VoidGround, ...]:
    """Return the grounds that the record leaves in doubt."""
    return tuple(ground for ground in _grounds(round_, book) if ground.is_open(round_))


@derived_by_rules
def _grounds(round_: Round, book: Rulebook) -> tuple[VoidGround, ...]:
    """Every ground in the record, including those in doubt."""
    own_grounds = terms_of(book.game).void_grounds
    return (
        *(_wrong_total(round_) if book.has("13(c)") else ()),
        *_wrong_counts(round_, book),
        *_wrong_stub(round_, book),
        *(_face_up(round_, book) if book.has("13(e)") else ()),
        *_exposed_stack(round_, book),
        *_shoe_failed(round_, book),
        *(own_grounds(round_, book) if own_grounds is not None else ()),
    )


def can_be_void(book: Rulebook) -> bool:
    """Return whether the chapter has any ground on which a whole round is void."""
    shared = (*MISDEAL_SECTION.values(), "13(c)", "13(e)", "13(g)", "13(i)", "13(l)")
    return terms_of(book.game).void_grounds is not None or any(book.has(section) for section in shared)


def must_be_void(round_: Round, book: Rulebook) -> bool:
    """Return whether the round had to be void."""
    return bool(void_grounds(round_, book))


def is_void(round_: Round, book: Rulebook) -> bool:
    """Return whether all wagers must be returned: the round was voided, or had to be."""
    return round_.voided is not None or must_be_void(round_, book)


def was_voided(round_: Round, book: Rulebook) -> bool:
    """Say whether the round was voided: declared void, or it had to be, and all that it gives back went back as void (D321)."""
    reasons = {ground.reason for ground in void_grounds(round_, book)}
    return round_.voided is not None or (bool(reasons) and is_returned_as_void(round_, but=left_standing(book, reasons)))


def left_standing(book: Rulebook, reasons: Collection[str]) -> frozenset[str]:
    """Return the wagers that a void for these reasons leaves to be settled, some only if settled before it."""
    rules = book.chapter.wagers.items()
    return frozenset(wager for wager, each in rules if {"*", "settled"} & {*each.stands} or {*reasons} <= {*each.stands})


def is_miscounted(round_: Round, book: Rulebook) -> bool:
    """Return whether the first card went elsewhere than the count points, which the floor may remedy (D23)."""
    start, dealt_to = start_of(round_), first_position(round_)
    if start is None or not start.counts or not book.has("13(c)"):
        return False
    return dealt_to is not None and dealt_to not in start.positions


def _wrong_total(round_: Round) -> Iterator[VoidGround]:
    """Return a wrong total that the deal or, if the first card is not on record, the announced start followed (D323).

    If a die was not read, a total that it cannot make up is wrong; whether the first card went wrong, too, may be open (D518).
    """
    start, dealt_to = start_of(round_), first_position(round_)
    if start is None or not start.is_wrongly_announced:
        return
    announced = before_deal(round_, round_.of(model.StartAnnounced))
    doubt, first = "", round_.first_card
    if dealt_to is None and announced:
        dealt_to = announced[-1].payload.position
        doubt = "the round is void if the first card went where the wrong total points"
    if dealt_to in start.positions and len(start.positions) > 1:
        doubt = "a die was not read: the round is void unless it points to where the first card went"
    elif dealt_to is None or dealt_to in start.positions:
        return
    yield VoidGround(
        "wrong_start",
        "DEAL-START",
        "13(c)",
        f"a total of {start.count_in_words} starts at {start.positions_in_words}",
        f"{start.announced} was announced and the first card went to {name(dealt_to)}; the round was not voided",
        (*start.evidence, first.seq if first else 0),
        doubt=doubt,
    )


def _wrong_counts(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """Return each wrong number of cards: of a player or the dealer (§ 688a.13(g)), or of a position that no one plays (j)."""
    hands = round_.hands()
    if not hands or not book.has("13(g)"):
        return
    must = book.chapter.numbers["cards_per_hand"]
    deals = round_.of(model.CardsDealt)
    played: set[Position] = {stake.seat for stake in stakes(round_, book).values() if stake.on_layout_cents > 0}
    shoe_stopped = any(in_play is not False for _, in_play in _shoe_failures(round_))
    for position in positions(round_, book):
        cards = hands.get(position)
        if cards is None and (not round_.covers("deal") or round_.closed is None or shoe_stopped):
            continue
        count = len(cards) if cards is not None else 0
        more_may_come = count < must and round_.voided is None and not went_on(round_)
        if count != must and not shoe_stopped and not more_may_come:
            of_a_player = position in played or position == "dealer" or not book.has("13(j)")
            yield VoidGround(
                "wrong_count",
                "DEAL-COUNT",
                "13(g)" if of_a_player else "13(j)",
                f"{must} cards to {name(position)}",
                f"{count} cards; the round was not voided",
                tuple(fact.seq for fact in deals if fact.payload.to == position) or (deals[-1].seq,),
                position if isinstance(position, int) else None,
            )


def positions(round_: Round, book: Rulebook) -> tuple[Position, ...]:
    """Return the positions that get cards, clockwise: all, or those with the first wager if only bettors get cards.

    If not all wagers are on record, whoever got cards is taken for one who wagered (D365).
    """
    if book.chapter.deals_to == "all":
        return (*book.chapter.seats, "dealer")
    if book.chapter.deals_to == "seats":
        return book.chapter.seats
    staked = stakes(round_, book).values()
    based = {stake.seat for stake in staked if stake.wager == book.chapter.base and stake.in_time_cents > 0}
    if round_.lost or not round_.covers("wagering"):
        based |= {to for to in round_.hands() if to != "dealer"}
    return (*sorted(based), "dealer")


def went_on(round_: Round) -> bool:
    """Return whether play went on after the deal: hands were set or wagers settled, or the round was closed."""
    last = round_.last_card
    after = (model.HandSet, model.WagerTaken, model.WagerPaid, model.WagerReturned)
    return round_.closed is not None or any(
        fact.seq > last.seq for type_ in after for fact in round_.of(type_) if last is not None
    )


def set_aside(round_: Round) -> int:
    """Return the number of cards found face up or boxed, and set aside, not dealt (D24, D757)."""
    return len(round_.found_face_up) - len(face_up_dealt(round_)) + len(round_.boxed_aside)


def _wrong_stub(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    counted = round_.last(model.StubCounted)
    section = MISDEAL_SECTION.get(book.deal_method, "")
    if counted is None or not book.has(section):
        return
    must = _cards_left(round_, book)
    aside = set_aside(round_)
    beside = f" beside {aside} set aside" if aside else ""
    if counted.payload.count + aside != must:
        yield VoidGround(
            "stub_count",
            "DEAL-STUB",
            section,
            f"{max(must - aside, 0)} cards left{beside}",
            f"{counted.payload.count} cards left; the round was not voided",
            (counted.seq,),
        )


def _cards_left(round_: Round, book: Rulebook) -> int:
    """Return the number of cards left after every hand has its cards: the chapter's number, or the deck less the bettors' cards.

    Cards that went to a box without the first wager are gone as well.
    """
    numbers = book.chapter.numbers
    if "stub_cards" in numbers:
        return numbers["stub_cards"]
    aside = sum(len(fact.payload.cards) for fact in round_.of(model.CardsDealt) if fact.payload.to in ("burn", "side"))
    dealt_to = positions(round_, book)
    aside += sum(len(cards) for to, cards in round_.hands().items() if to not in dealt_to)
    return numbers["deck_size"] - numbers["cards_per_hand"] * len(dealt_to) - aside


def _face_up(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    found = [fact for fact in round_.found_face_up if not after_the_deal(round_, book, fact)]
    last = round_.of(model.CardsDealt)[-1:]
    certain = [fact for fact in found if not any(round_.certainly_before(dealt, fact) is None for dealt in last)]
    if len(found) > 1:
        yield VoidGround(
            "face_up_cards",
            "DEAL-FACEUP",
            "13(e)",
            "with more than one card face up in the deck, all hands void",
            f"{len(found)} cards found face up; the round was not voided",
            tuple(fact.seq for fact in found),
            doubt="" if len(certain) > 1 else "the clocks contradict the order of the cards found face up and the deal",
        )


def after_the_deal(round_: Round, book: Rulebook, fact: RecordedEvent) -> bool:
    """Say whether something surely came after the dealing of all cards, or settled base wagers (D366, D384)."""
    dealt = round_.of(model.CardsDealt)
    last = dealt[-1] if dealt else None
    if last is None or not round_.certainly_before(last, fact):
        return False
    for each in round_.in_order(model.WagerTaken, model.WagerPaid):
        base = each.payload.wager == book.chapter.base and getattr(each.payload, "reason", "") != "abandoned"
        if base and round_.certainly_before(last, each) and round_.certainly_before(each, fact):
            return True
    hands, must = round_.hands(), book.chapter.numbers["cards_per_hand"]
    return round_.covers("deal") and all(len(hands.get(each, ())) == must for each in positions(round_, book))


def _exposed_stack(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    if book.deal_method != book.chapter.exposure_voids_by or not book.has("13(i)"):
        return
    last = round_.last_card
    for fact in round_.of(model.CardsDealt):
        if fact.payload.face_up and isinstance(fact.payload.to, int):
            yield VoidGround(
                "exposed_stack",
                "DEAL-EXPOSED",
                "13(i)",
                "with a card exposed while the stacks are dealt, all wagers returned",
                f"the stack of {name(fact.payload.to)} was dealt face up; the round was not voided",
                (fact.seq,),
                fact.payload.to,
            )
    for fact in round_.of(model.CardExposed):
        exposed = fact.payload
        while_dealing = True if last is None else round_.certainly_before(fact, last)
        of_a_stack = exposed.whose == "stack" and not after_the_deal(round_, book, fact)
        if of_a_stack or (exposed.by != "player" and exposed.whose != "dealer" and while_dealing is not False):
            yield VoidGround(
                "exposed_stack",
                "DEAL-EXPOSED",
                "13(i)",
                "with a card exposed while the stacks are dealt, all wagers returned",
                f"{exposed.card or 'a card that was not read'} was exposed by the {exposed.by}; the round was not voided",
                (fact.seq,),
                exposed.whose if isinstance(exposed.whose, int) else None,
                "" if while_dealing is not None else "the clocks contradict the order of the exposed card and the deal",
            )


def _shoe_failed(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    if book.deal_method != "automated_shoe" or not book.has("13(l)"):
        return
    for fact, in_play in _shoe_failures(round_):
        if fact.payload.fault != "inoperative" and in_play is not False:
            yield VoidGround(
                "device_failed",
                "DEAL-DEVICE",
                "13(l)",
                "with a failed dealing shoe the round is void",
                f"the shoe failed ({fact.payload.fault}); the round was not voided",
                (fact.seq,),
                doubt="" if in_play else "the clocks contradict the order of the shoe's failure and the end of the round",
            )


def _shoe_failures(round_: Round) -> Iterator[tuple[RecordedEvent, bool | None]]:
    """Yield each failure of the dealing shoe, and whether it came during the round; None if the clocks contradict it."""
    for fact in round_.of(model.DeviceFailed):
        if fact.payload.device == "shoe":
            yield fact, round_.closed is None or round_.certainly_before(fact, round_.closed)


def face_up_dealt(round_: Round) -> list[tuple[RecordedEvent, RecordedEvent]]:
    """Cards found face up and dealt to a position afterward, with the fact that dealt them."""
    return [
        (found, fact)
        for found in round_.found_face_up
        if found.payload.card is not None
        for fact in round_.of(model.CardsDealt)
        if fact.seq > found.seq and fact.payload.to != "burn" and found.payload.card in fact.payload.cards
    ]
