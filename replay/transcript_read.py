"""The statements of a transcript: what each keyword turns into. `docs/transcript.md` is the grammar.

The law of this file: a statement gives events and nothing else; what the writer left out gets the documented default.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast, get_args

from events import model
from events.model import Aspect, Event, WagerName
from games.cards import CODE, TEXT
from games.rulebook import Rulebook
from replay.transcript_words import Position, Words

WAGERS = get_args(WagerName)
FLOOR = "floor-1"


class Context:
    """What a transcript has said so far that a later statement's defaults depend on."""

    def __init__(self, book: Rulebook) -> None:
        self.book = book
        self.deck = "d-1"
        self.meter_seq = 0
        self.patrons: dict[int, str] = {}
        self.stakes: dict[tuple[int, str], int] = {}
        self.dealt: dict[Position, list[str | None]] = {}
        self.readings: int | None = None

    def bettor(self, seat: int) -> str:
        """Who bets at a seat: the patron seated there, or a token of the seat's own."""
        return self.patrons.get(seat, f"seat-{seat}")

    def new_round(self) -> None:
        """Forget what belongs to one round."""
        self.stakes, self.dealt = {}, {}


Reader = Callable[[Words, Context], Sequence[Event]]
STATEMENTS: dict[str, tuple[Aspect | None, Reader]] = {}
"""Keyword → the aspect that such a line covers, and its reader."""


def statement(keyword: str, aspect: Aspect | None = None) -> Callable[[Reader], Reader]:
    """Register the reader of a keyword."""

    def register(reader: Reader) -> Reader:
        STATEMENTS[keyword] = (aspect, reader)
        return reader

    return register


def _wager(words: Words) -> Any:
    word = words.take("a wager")
    if word not in WAGERS:
        raise words.error(f"expected a wager ({', '.join(WAGERS[:4])}, …), got {word!r}")
    return word


def _bettor(words: Words, context: Context, seat: int) -> str:
    return words.option("bettor") or context.bettor(seat)


# ------------------------------------------------------------------------------------------------------- table, equipment


@statement("dealer")
def _dealer(words: Words, context: Context) -> Sequence[Event]:
    return [model.DealerTappedIn(dealer=words.take("a dealer"))]


@statement("shift")
def _shift(words: Words, context: Context) -> Sequence[Event]:
    return [model.ShiftChanged(shift=words.take("a shift"))]


@statement("equipment")
def _equipment(words: Words, context: Context) -> Sequence[Event]:
    method = cast(Any, words.take("a deal method"))
    shuffler = cast(Any, words.take("a shuffler"))
    seats = words.option("seats")
    count = words.as_number(seats, "seats", 1, 7) if seats is not None else 6
    return [model.TableOpened(game=context.book.game, deal_method=method, shuffler=shuffler, seats=count)]


@statement("deck", "equipment")
def _deck(words: Words, context: Context) -> Sequence[Event]:
    deck = words.take("a deck")
    what = words.take("received, inspected, joker_destroyed, spread, washed, in_play or removed")
    by = words.option("by")
    match what:
        case "received":
            jokers = words.option("jokers")
            return [
                model.DeckReceived(
                    deck=deck, back_colour=words.option("back") or "not stated",
                    jokers=words.as_number(jokers, "jokers", 0, 2) if jokers is not None else 1,
                    preshuffled=words.flag("preshuffled"),
                )
            ]  # fmt: skip
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
    what = words.take("a fault, covered or restored")
    if what == "covered":
        return [model.DeviceCovered(device=device, how="sign" if words.flag("sign") else "cover")]
    if what == "restored":
        return [model.DeviceRestored(device=device)]
    return [model.DeviceFailed(device=device, fault=cast(Any, what))]


@statement("seated")
def _seated(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    context.patrons[seat] = words.take("a patron")
    return [model.PatronSeated(seat=seat, patron=context.patrons[seat])]


@statement("left")
def _left(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    patron = words.take("a patron") if words.left else context.bettor(seat)
    context.patrons.pop(seat, None)
    return [model.PatronLeft(seat=seat, patron=patron)]


TABLE_STATEMENTS = frozenset({"dealer", "shift", "equipment", "deck", "dice_set", "device", "seated", "left"})
"""Statements that may stand before a round as well as in it."""


# -------------------------------------------------------------------------------------------------- shuffle, cut, the start


@statement("shuffle", "shuffle")
def _shuffle(words: Words, context: Context) -> Sequence[Event]:
    count = words.option("count")
    return [
        model.CardsShuffled(
            deck=words.option("deck") or context.deck, method=cast(Any, words.take("manual or automated")),
            count=words.as_number(count, "a count") if count is not None else None,
        )
    ]  # fmt: skip


@statement("offer_cut", "shuffle")
def _offer_cut(words: Words, context: Context) -> Sequence[Event]:
    return [model.CutOffered(seat=words.seat(), accepted=words.one_of(("accepted", "refused")) == "accepted")]


@statement("cut", "shuffle")
def _cut(words: Words, context: Context) -> Sequence[Event]:
    bottom = words.flag("from_bottom")
    by = words.position()
    return [model.CardsCut(by=by, depth=words.number("cards"), counted_from="bottom" if bottom else "top")]


@statement("recut_ordered", "shuffle")
def _recut(words: Words, context: Context) -> Sequence[Event]:
    return [model.RecutOrdered(by=words.option("by") or FLOOR)]


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
    return [model.StartAnnounced(position=position)]


@statement("dice")
def _dice(words: Words, context: Context) -> Sequence[Event]:
    start = words.left.index("->") if "->" in words.left else len(words.left)
    pointed, words.left = words.left[start:], words.left[:start]
    lie = words.one_of(("not_flat", "fell_out", "flat"), "flat")
    total, silent = words.option("total"), words.flag("not_announced")
    dice: list[int | None] = []
    for _ in range(3):
        word = words.take("a die from 1 to 6, or ?")
        dice.append(None if word in ("?", "??") else words.as_number(word, "a die", 1, 6))
    colours = words.option("colours")
    roll = model.DiceRolled(dice=dice, colours=cast(Any, colours.split(",")) if colours else None, lie=cast(Any, lie))
    words.done()
    words.left = pointed
    events: list[Event] = [roll]
    known = sum(die for die in dice if die is not None)
    if total is not None:
        events.append(model.TotalAnnounced(total=words.as_number(total, "a total", 0, 99)))
    elif lie == "flat" and None not in dice and not silent:
        events.append(model.TotalAnnounced(total=known))
    return events + _pointed(words)


@statement("number")
def _number(words: Words, context: Context) -> Sequence[Event]:
    return [model.NumberDrawn(number=words.number("a number", 1, 7)), *_pointed(words)]


@statement("start")
def _start(words: Words, context: Context) -> Sequence[Event]:
    return [model.StartAnnounced(position=words.position())]


@statement("total")
def _total(words: Words, context: Context) -> Sequence[Event]:
    return [model.TotalAnnounced(total=words.number("a total", 0, 99))]


@statement("shaker_covered", "start")
def _shaker_covered(words: Words, context: Context) -> Sequence[Event]:
    return [model.ShakerCovered(placed_right_of_dealer=not words.flag("not_placed"))]


# --------------------------------------------------------------------------------------------------------------- wagering


def _amounts(words: Words) -> list[tuple[Any, int | None, int]]:
    number = words.option("number")
    pip = words.as_number(number, "a number", 1, 6) if number is not None else None
    found = []
    while words.left:
        wager = _wager(words)
        found.append((wager, pip, words.money(f"the amount of {wager}")))
    if not found:
        raise words.error("expected a wager and an amount")
    return found


@statement("wager")
def _wager_placed(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = _bettor(words, context, seat)
    form = cast(Any, words.one_of(("cash", "verbal", "plaque", "instrument", "chips"), "chips"))
    events: list[Event] = []
    for wager, pip, cents in _amounts(words):
        context.stakes[seat, wager] = context.stakes.get((seat, wager), 0) + cents
        events.append(
            model.WagerPlaced(seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, form=form)
        )
    context.patrons.setdefault(seat, bettor)
    return events


@statement("withdraw")
def _withdraw(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = _bettor(words, context, seat)
    return [
        model.WagerRemoved(seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents)
        for wager, pip, cents in _amounts(words)
    ]


@statement("refuse")
def _refuse(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = _bettor(words, context, seat)
    return [
        model.WagerRefused(seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, reason="refused")
        for wager, pip, cents in _amounts(words)
    ]


@statement("no_more_bets", "wagering")
def _no_more_bets(words: Words, context: Context) -> Sequence[Event]:
    return [model.NoMoreBets(announced_by="device" if words.flag("device") else "dealer")]


@statement("lock", "progressive")
def _lock(words: Words, context: Context) -> Sequence[Event]:
    accepted, collected = words.option("accepted"), words.option("collected")
    if accepted is None or collected is None:
        raise words.error("expected accepted=N collected=N")
    return [
        model.ProgressiveLocked(
            accepted=words.as_number(accepted, "a count"), collected=words.as_number(collected, "a count")
        )
    ]


@statement("lammer", "envy")
def _lammer(words: Words, context: Context) -> Sequence[Event]:
    return [model.LammerPlaced(seat=words.seat(), wager=_wager(words))]


@statement("accepted", "progressive")
def _accepted(words: Words, context: Context) -> Sequence[Event]:
    seat, reading, at = words.seat(), words.option("meter"), words.option("meter_seq")
    meter = words.option("id") or context.book.meter or "m-1"
    context.meter_seq = words.as_number(at, "a meter number", 1) if at is not None else context.meter_seq + 1
    if reading is None:
        raise words.error("expected meter=READING, the meter after this wager")
    return [
        model.ProgressiveAccepted(
            seat=seat, meter=meter, amount_cents=words.money(), reading_centicents=words.as_meter(reading),
            meter_seq=context.meter_seq,
        )
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------------------------- the deal


def _stacks(words: Words, context: Context) -> Sequence[Event]:
    up, down = words.flag("face_up"), words.flag("face_down")
    events: list[Event] = []
    while words.left:
        to, sign, first = words.left[0].partition("=") if words.left else ("", "", "")
        if to == "seat":
            to, sign, first = (first.partition("=") if "=" in first else ("", "", ""))
            to = f"seat{to}"
        if not sign:
            raise words.error(f"expected POSITION=CARDS, got {words.left[0]!r}")
        words.left[0] = first
        cards = words.cards()
        if not cards:
            raise words.error(f"expected cards for {to}, got {first!r}")
        where: Any = to if to in ("burn", "side") else words.position(to)
        if where not in ("burn", "side"):
            context.dealt[where] = context.dealt.get(where, []) + cards
        face_up = (where == "dealer" or up) and not down
        events.append(model.CardsDealt(to=where, cards=cast(Any, cards), face_up=face_up))
    if not events:
        raise words.error("expected POSITION=CARDS, like dealer=Jk Kd Jc 9s 8h 4d 3c")
    return events


STATEMENTS["deal"] = (None, _stacks)
STATEMENTS["deal_order"] = ("deal", _stacks)


@statement("deal_each", "deal")
def _deal_each(words: Words, context: Context) -> Sequence[Event]:
    at: Position = words.position()
    events: list[Event] = []
    around: list[Position] = [1, 2, 3, 4, 5, 6, "dealer"]
    turn = around.index(at)
    for card in words.cards():
        where = around[turn % 7]
        turn += 1
        context.dealt[where] = [*context.dealt.get(where, []), card]
        events.append(model.CardsDealt(to=where, cards=cast(Any, [card]), face_up=where == "dealer"))
    if not events:
        raise words.error("expected cards after the starting position")
    return events


@statement("drawn_in_error")
def _drawn(words: Words, context: Context) -> Sequence[Event]:
    return [model.CardDrawnInError(card=cast(Any, words.card()))]


@statement("found_face_up")
def _found_face_up(words: Words, context: Context) -> Sequence[Event]:
    return [model.CardFoundFaceUp(card=cast(Any, words.card()))]


@statement("exposed")
def _exposed(words: Words, context: Context) -> Sequence[Event]:
    whose: Any = "stack" if words.flag("stack") else words.position()
    words.flag("by")
    by = words.one_of(("dealer", "player", "device"), "dealer")
    card = words.card() if words.left else None
    return [model.CardExposed(whose=whose, by=cast(Any, by), card=cast(Any, card))]


@statement("elect")
def _elect(words: Words, context: Context) -> Sequence[Event]:
    return [model.HandElected(seat=words.seat(), election=cast(Any, words.one_of(("play", "void"))))]


@statement("stub", "stub")
def _stub(words: Words, context: Context) -> Sequence[Event]:
    exposed = words.option("exposed")
    seen = words.as_number(exposed, "cards", 0, 53) if exposed is not None else 0
    return [model.StubCounted(count=words.number("cards", 0, 400), exposed=seen)]


# ------------------------------------------------------------------------------------------------------ setting and result


@statement("examine", "setting")
def _examine(words: Words, context: Context) -> Sequence[Event]:
    return [model.HandExamined(seat=words.seat())]


def _hands(words: Words, context: Context, position: Position) -> dict[str, Any]:
    if words.flag("house_way"):
        dealt = context.dealt.get(position)
        if dealt is None or len(dealt) != 7 or any(card is None for card in dealt):
            raise words.error("house_way needs the seven cards of the position dealt before, all read")
        chosen = context.book.house_way.choose([CODE[card] for card in dealt if card is not None])
        return {
            "high": [TEXT[card] for card in chosen.high], "medium": [], "low": [TEXT[card] for card in chosen.low],
        }  # fmt: skip
    hands: dict[str, Any] = {"high": [], "medium": [], "low": []}
    while words.left:
        name, sign, first = words.left[0].partition("=")
        if name not in hands or not sign:
            raise words.error(f"expected high=CARDS and low=CARDS, got {words.left[0]!r}")
        words.left[0] = first
        if not first:
            words.left.pop(0)
        hands[name] = words.cards()
    if not hands["high"] and not hands["low"]:
        raise words.error("expected high=CARDS and low=CARDS, or house_way")
    return hands


@statement("set")
def _set(words: Words, context: Context) -> Sequence[Event]:
    position = words.position()
    by = words.option("by") or ("dealer" if position == "dealer" else "player")
    return [model.HandSet(position=position, by=cast(Any, by), **_hands(words, context, position))]


@statement("reset")
def _reset(words: Words, context: Context) -> Sequence[Event]:
    position = words.position()
    by = words.option("by") or ("dealer" if position == "dealer" else "player")
    has_cards = any(word.startswith(("high=", "low=")) for word in words.left)
    default = "house_way" if position == "dealer" else "changed"
    reason = words.one_of(("house_way", "changed", "other"), default) if has_cards else "house_way"
    hands = _hands(words, context, position)
    return [model.HandReset(position=position, by=cast(Any, by), reason=cast(Any, reason), **hands)]


@statement("surrender")
def _surrender(words: Words, context: Context) -> Sequence[Event]:
    return [model.Surrendered(seat=words.seat())]


@statement("reveal", "setting")
def _reveal(words: Words, context: Context) -> Sequence[Event]:
    return [model.HandRevealed(position=words.position())]


@statement("announce", "setting")
def _announce(words: Words, context: Context) -> Sequence[Event]:
    seat, result = words.seat(), words.one_of(("win", "lose", "tie"))
    return [model.ResultAnnounced(seat=seat, wager=_wager(words), result=cast(Any, result))]


@statement("acknowledge", "envy")
def _acknowledge(words: Words, context: Context) -> Sequence[Event]:
    return [model.EnvyAcknowledged(seat=words.seat())]


@statement("light", "progressive")
def _light(words: Words, context: Context) -> Sequence[Event]:
    return [model.LightSeen(seat=words.seat())]


@statement("validate", "progressive")
def _validate(words: Words, context: Context) -> Sequence[Event]:
    seat, by = words.seat(), words.option("by")
    role = cast(Any, words.one_of(("floorperson", "pit_manager", "shift_manager", "dealer"), "floorperson"))
    wager = _wager(words) if words.left else "progressive"
    return [model.PayoutValidated(seat=seat, wager=wager, by=by or FLOOR, role=role)]


@statement("document", "progressive")
def _document(words: Words, context: Context) -> Sequence[Event]:
    seat, document = words.seat(), words.option("id")
    wager = _wager(words)
    return [
        model.PayoutDocumented(seat=seat, wager=wager, document=document or "slip-1", amount_cents=words.money())
    ]


@statement("won", "progressive")
def _won(words: Words, context: Context) -> Sequence[Event]:
    seat, reading, share, after = words.seat(), words.option("meter"), words.option("share"), words.option("after")
    meter, at = words.option("id") or context.book.meter or "m-1", words.option("meter_seq")
    if reading is None or share is None or after is None:
        raise words.error("expected meter=READING share=PERCENT% after=READING")
    context.meter_seq = words.as_number(at, "a meter number", 1) if at is not None else context.meter_seq + 1
    percent = words.as_number(share.removesuffix("%"), "a share in percent", 1, 100)
    return [
        model.ProgressiveWon(
            seat=seat, meter=meter, share_bp=percent * 100, reading_centicents=words.as_meter(reading),
            after_centicents=words.as_meter(after), meter_seq=context.meter_seq,
        )
    ]  # fmt: skip


# -------------------------------------------------------------------------------------------------------- the settlement


@statement("take")
def _take(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = _bettor(words, context, seat)
    reason = cast(Any, words.one_of(("lost", "foul", "surrendered", "abandoned", "other"), "lost"))
    return [
        model.WagerTaken(seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, reason=reason)
        for wager, pip, cents in _amounts(words)
    ]


@statement("pay")
def _pay(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor, stake = _bettor(words, context, seat), words.option("stake")
    source = cast(Any, words.one_of(("slip", "inventory", "player_dealer"), "inventory"))
    events: list[Event] = []
    for wager, pip, cents in _amounts(words):
        back = words.as_money(stake) if stake is not None else _stake_back(context, seat, wager)
        events.append(
            model.WagerPaid(
                seat=seat, bettor=bettor, wager=wager, number=pip, stake_cents=back, winnings_cents=cents,
                source=source,
            )
        )  # fmt: skip
    return events


def _stake_back(context: Context, seat: int, wager: str) -> int:
    """The stake that goes back with a payment: the whole stake once, unless the paytable keeps it."""
    offer = context.book.offers.get(wager)
    if offer is not None and offer.paytable is not None and not offer.paytable.stake_returned:
        return 0
    return context.stakes.pop((seat, wager), 0)


@statement("return")
def _return(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = _bettor(words, context, seat)
    reason = cast(Any, words.one_of(("push", "void", "uncovered", "late", "other"), "push"))
    return [
        model.WagerReturned(seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, reason=reason)
        for wager, pip, cents in _amounts(words)
    ]


@statement("envy")
def _envy(words: Words, context: Context) -> Sequence[Event]:
    seat, of = words.seat(), words.option("for")
    if of is None:
        raise words.error("expected for=POSITION, whose hand the Envy Bonus is for")
    position = words.position(f"seat={of}" if of.isdigit() else of)
    wager = _wager(words)
    return [model.EnvyPaid(seat=seat, wager=wager, for_position=position, amount_cents=words.money())]


@statement("vigorish")
def _vigorish(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    return [model.VigorishTaken(seat=seat, bettor=_bettor(words, context, seat), amount_cents=words.money())]


@statement("abandon")
def _abandon(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    return [model.WagerAbandoned(seat=seat, bettor=_bettor(words, context, seat))]


VOID_REASONS = {
    "wrong_start": "wrong_start", "start": "wrong_start", "wrong_total": "wrong_start", "wrong_count": "wrong_count",
    "incorrect_count": "wrong_count", "stub_count": "stub_count", "stub": "stub_count",
    "face_up_cards": "face_up_cards", "face_up": "face_up_cards", "exposed_stack": "exposed_stack",
    "exposed_card": "exposed_card", "device_failed": "device_failed", "device": "device_failed",
    "floor_decision": "floor_decision", "misdeal": "floor_decision",
}  # fmt: skip


@statement("void")
def _void(words: Words, context: Context) -> Sequence[Event]:
    scope: Any = "round" if words.flag("round") else words.position()
    word = words.take("a reason") if words.left else "floor_decision"
    if word == "exposed":
        word = "exposed_stack" if scope == "round" else "exposed_card"
    if word not in VOID_REASONS:
        raise words.error(f"expected a reason ({', '.join(sorted(set(VOID_REASONS.values())))}), got {word!r}")
    return [model.RoundVoided(scope=scope, reason=cast(Any, VOID_REASONS[word]))]


@statement("collect", "collection")
def _collect(words: Words, context: Context) -> Sequence[Event]:
    counted, deck = words.option("counted"), words.option("deck")
    of: Any = words.take("all, stub, aside or a position") if not words.is_position() else words.position()
    return [
        model.CardsCollected(
            deck=deck or context.deck, of=of, count=words.number("cards", 0, 400),
            counted=words.as_number(counted, "cards", 0, 400) if counted is not None else None,
        )
    ]  # fmt: skip


@statement("close", "settlement")
def _close(words: Words, context: Context) -> Sequence[Event]:
    return [model.RoundClosed(by=words.option("by") or "dealer")]
