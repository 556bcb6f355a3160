"""The statements of a transcript from the deal to the close: the events of each keyword.

The statements before the deal, and the registry, are in `read.py`.
"""

from collections.abc import Sequence
from typing import Any, cast

from events.vocabulary import model
from events.vocabulary.model import Event, fact
from replay.fold.round import ASIDE
from replay.fold.wager_keys import Key, key_of
from replay.transcript.read import FLOOR, STATEMENTS, Context, amounts_of, statement, wager_named
from replay.transcript.words import Position, Words
from rulebook.cards.cards import CODE, TEXT
from rulebook.catalogue import GAMES
from rulebook.chapters.filed_way import settings_of
from rulebook.chapters.rulebook import PayLine, Paytable
from rulebook.settlement.progressive import after_winner

# --------------------------------------------------------------------------------------------------------------- the deal


A_CARD = "; a card is like Ks, Td or Jk, with blanks between cards"
"""The addition to an error if a card may have been meant."""


def _stacks(words: Words, context: Context) -> Sequence[Event]:
    up, down = words.flag("face_up"), words.flag("face_down")
    events: list[Event] = []
    while words.rest:
        to, sign, first = words.rest[0].partition("=") if words.rest else ("", "", "")
        if to == "seat":
            to, sign, first = first.partition("=") if "=" in first else ("", "", "")
            to = f"seat{to}"
        if not sign:
            raise words.error(f"expected POSITION=CARDS, got {words.rest[0]!r}{A_CARD if events else ''}")
        words.rest[:1] = [first] if first else []
        cards = words.cards()
        if not cards:
            raise words.error(f"expected cards for {to}, like Ks, Td or Jk (?? if one was not read), got {words.peek() or ''!r}")
        where: Any = to if to in ASIDE else context.where(words.position(to))
        if where == "side":
            context.side = cards[-1]
        elif where not in ASIDE:
            context.dealt[where] = context.dealt.get(where, []) + cards
        face_up = ((to == "dealer" and context.book.chapter.dealer_face_up) or up) and not down
        events.append(fact(model.CardsDealt, to=where, cards=cast(Any, cards), face_up=face_up))
    if not events:
        raise words.error("expected POSITION=CARDS, like dealer=Jk Kd Jc 9s 8h 4d 3c")
    return events


STATEMENTS["deal"] = (None, _stacks)
STATEMENTS["deal_order"] = ("deal", _stacks)


@statement("deal_each", "deal")
def _deal_each(words: Words, context: Context) -> Sequence[Event]:
    at: Position = context.where(words.position())
    events: list[Event] = []
    around: list[Position] = [*context.book.chapter.seats]
    around += ["dealer"] if context.book.chapter.deals_to != "seats" else []
    if at not in around:
        raise words.error("which seat is the player-dealer's is not known yet")
    turn = around.index(at)
    for card in words.cards():
        where = around[turn % len(around)]
        turn += 1
        context.dealt[where] = [*context.dealt.get(where, []), card]
        face_up = where == "dealer" and context.book.chapter.dealer_face_up
        events.append(fact(model.CardsDealt, to=where, cards=cast(Any, [card]), face_up=face_up))
    if not events:
        raise words.error("expected cards after the starting position")
    return events


@statement("foreign")
def _foreign(words: Words, context: Context) -> Sequence[Event]:
    place: Any = next((place for place in ("deck", "stub") if words.flag(place)), None) or context.where(words.position())
    card, back = words.card(), words.option("back")
    return [
        fact(
            model.ForeignCardFound, back_colour=back, card=cast(Any, card), deck=words.option("deck") or context.deck, found=place
        )
    ]


@statement("moved")
def _moved(words: Words, context: Context) -> Sequence[Event]:
    at, to = context.where(words.position()), context.where(words.position())
    for held in (context.dealt.pop(at, None),):
        if held:
            context.dealt[to] = [*context.dealt.get(to, []), *held]
    return [fact(model.StackMoved, at=cast(Any, at), to=cast(Any, to))]


@statement("exposed")
def _exposed(words: Words, context: Context) -> Sequence[Event]:
    whose: Any = "stack" if words.flag("stack") else words.position()
    words.flag("by")
    by = words.one_of(("dealer", "player", "device"), "dealer")
    card = words.card() if words.rest else None
    return [fact(model.CardExposed, whose=whose, by=cast(Any, by), card=cast(Any, card))]


# ------------------------------------------------------------------------------------------------------ setting and result


def _hands(words: Words, context: Context, position: Position) -> dict[str, Any]:
    if words.flag("house_way"):
        dealt = context.dealt.get(position)
        if context.book.house_way is None:
            raise words.error(f"no house way is filed in {context.book.chapter.key}")
        if dealt is None or len(set(dealt)) != 7 or len(dealt) != 7 or None in dealt:
            raise words.error("house_way needs the seven cards of the position dealt before, all read and no two alike")
        chosen = settings_of(context.book.way, [CODE[card] for card in dealt if card is not None])[0]
        parts = {"high": chosen.high, "medium": chosen.medium, "low": chosen.low}
        return {name: [TEXT[card] for card in cards or ()] for name, cards in parts.items()}
    hands: dict[str, Any] = {"high": [], "medium": [], "low": []}
    named: set[str] = set()
    while words.rest:
        name, sign, first = words.rest[0].partition("=")
        if name not in hands or not sign:
            raise words.error(f"expected high=CARDS and low=CARDS, got {words.rest[0]!r}{A_CARD if named else ''}")
        words.rest[:1] = [first] if first else []
        hands[name] = words.cards()
        named.add(name)
    if not {"high", "low"} <= named or not (hands["high"] or hands["low"]):
        raise words.error("expected high=CARDS and low=CARDS, or house_way")
    return hands


@statement("set")
def _set(words: Words, context: Context) -> Sequence[Event]:
    position = context.where(words.position())
    by = words.option("by") or ("dealer" if position == "dealer" else "player")
    return [fact(model.HandSet, position=position, by=cast(Any, by), **_hands(words, context, position))]


@statement("reset")
def _reset(words: Words, context: Context) -> Sequence[Event]:
    position = context.where(words.position())
    by = words.option("by") or ("dealer" if position == "dealer" else "player")
    has_cards = any(word.startswith(("high=", "low=")) for word in words.rest)
    default = "house_way" if position == "dealer" else "changed"
    reason = words.one_of(("house_way", "changed", "other"), default) if has_cards else "house_way"
    hands = _hands(words, context, position)
    return [fact(model.HandReset, position=position, by=cast(Any, by), reason=cast(Any, reason), **hands)]


@statement("validate", "progressive")
def _validate(words: Words, context: Context) -> Sequence[Event]:
    seat, by = words.seat(), words.option("by")
    role = cast(Any, words.one_of(("floorperson", "pit_manager", "shift_manager", "dealer"), "floorperson"))
    wager: Any = wager_named(words, context) if words.rest else "progressive"
    return [fact(model.PayoutValidated, seat=seat, wager=wager, by=by or FLOOR, role=role)]


@statement("won")
def _won(words: Words, context: Context) -> Sequence[Event]:
    seat, reading, share, after = words.seat(), words.option("meter"), words.option("share"), words.option("after")
    meter, at = words.option("id") or context.book.meter or "m-1", words.option("meter_seq")
    if reading is None:
        raise words.error("expected meter=READING, the meter at this winner's turn")
    context.meter_seq = words.as_number(at, "a meter number", 1) if at is not None else context.meter_seq + 1
    centicents = words.as_meter(reading)
    share_bp = words.as_percent_bp(share) if share is not None else _share_bp(words, context, seat)
    seed_cents = _progressive(words, context).seed_cents
    return [
        fact(
            model.ProgressiveWon,
            seat=seat,
            meter=meter,
            share_bp=share_bp,
            reading_centicents=centicents,
            after_centicents=words.as_meter(after) if after else after_winner(centicents, share_bp, seed_cents),
            meter_seq=context.meter_seq,
        )
    ]


def _progressive(words: Words, context: Context) -> Paytable:
    offer = context.book.offers.get("progressive")
    if offer is None or offer.paytable is None:
        raise words.error("the rules offer no progressive wager; add progressive=N to the rules line")
    return offer.paytable


def _share_bp(words: Words, context: Context, seat: int) -> int:
    """Return the percentage of the meter, in basis points, that the cards dealt to a seat win."""
    line = _line(context, seat, _progressive(words, context))
    if line is None or not line.meter_bp:
        raise words.error("expected share=PERCENT%: the cards dealt before do not give a share of the meter")
    return line.meter_bp


def _line(context: Context, seat: int, paytable: Paytable) -> PayLine | None:
    """The line of a paytable that the cards dealt to a seat make; None if none exists, or a card is not on record."""
    cards = context.dealt.get(seat, [])
    codes = [CODE[card] for card in cards if card is not None]
    if not len(codes) == len(cards) == context.book.chapter.numbers["cards_per_hand"]:
        return None
    try:
        made = GAMES[context.book.game].lines(paytable, codes, CODE[context.side] if context.side is not None else None)
    except ValueError:  # the side card that the joker stands for
        return None
    return paytable.best(made)


# -------------------------------------------------------------------------------------------------------- the settlement


@statement("take")
def _take(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    reason = cast(Any, words.one_of(("lost", "foul", "surrendered", "abandoned", "other"), "lost"))
    return [
        fact(model.WagerTaken, seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, reason=reason)
        for bettor, wager, pip, cents in amounts_of(words, context, seat)
    ]


@statement("pay")
def _pay(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    stake = words.option("stake")
    source = cast(
        Any, words.one_of(("slip", "inventory", "player_dealer"), "player_dealer" if context.player_dealer else "inventory")
    )
    events: list[Event] = []
    paid = amounts_of(words, context, seat)
    if stake is not None and len(paid) > 1:
        raise words.error("expected one wager in a line with stake=, which says what of its stake goes back")
    for bettor, wager, pip, cents in paid:
        slip = source == "slip"
        back = words.as_money(stake) if stake is not None else _stake_back(context, key_of(seat, wager, pip, bettor), slip)
        events.append(
            fact(
                model.WagerPaid,
                seat=seat,
                bettor=bettor,
                wager=wager,
                number=pip,
                stake_cents=back,
                winnings_cents=cents,
                source=source,
            )
        )
    return events


def _stake_back(context: Context, key: Key, slip: bool) -> int:
    """The stake that goes back with a payment: the whole stake once, unless the paytable keeps it (lines at odds never do)."""
    offer = context.book.offers.get(key[1])
    paytable = offer.paytable if offer is not None else None
    if paytable is not None and not paytable.stake_returned:
        line = _line(context, key[0], paytable)
        made = paytable.lines if line is None else [line]
        if (slip and line is None) or all(each.odds is None for each in made):
            return 0
    return context.stakes.pop(key, 0)


@statement("return")
def _return(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    reason = cast(Any, words.one_of(("push", "void", "uncovered", "late", "other"), "push"))
    events: list[Event] = []
    for bettor, wager, pip, cents in amounts_of(words, context, seat):
        context.remove_stake(key_of(seat, wager, pip, bettor), cents)
        events.append(
            fact(model.WagerReturned, seat=seat, bettor=bettor, wager=wager, number=pip, amount_cents=cents, reason=reason)
        )
    return events


@statement("envy")
def _envy(words: Words, context: Context) -> Sequence[Event]:
    seat, of = words.seat(), words.option("for")
    if of is None:
        raise words.error("expected for=POSITION, whose hand the Envy Bonus is for")
    position = words.position(f"seat={of}" if of.isdigit() else of)
    wager = wager_named(words, context)
    return [fact(model.EnvyPaid, seat=seat, wager=wager, for_position=position, amount_cents=words.money())]


VOID_REASONS = {
    "wrong_start": "wrong_start", "start": "wrong_start", "wrong_total": "wrong_start", "wrong_count": "wrong_count",
    "incorrect_count": "wrong_count", "stub_count": "stub_count", "stub": "stub_count",
    "face_up_cards": "face_up_cards", "face_up": "face_up_cards", "exposed_stack": "exposed_stack",
    "exposed_card": "exposed_card", "device_failed": "device_failed", "device": "device_failed",
    "exposed_dealer": "exposed_dealer", "floor_decision": "floor_decision", "misdeal": "floor_decision",
}  # fmt: skip


@statement("void")
def _void(words: Words, context: Context) -> Sequence[Event]:
    if not words.flag("round") and not words.is_position():
        raise words.error("expected round, or seat=N of the hand that is void")
    scope: Any = words.position() if words.is_position() else "round"
    word = words.take("a reason") if words.rest else "floor_decision"
    if word == "exposed":
        word = "exposed_stack" if scope == "round" else "exposed_card"
    if word not in VOID_REASONS:
        raise words.error(f"expected a reason ({', '.join(sorted(set(VOID_REASONS.values())))}), got {word!r}")
    return [fact(model.RoundVoided, scope=scope, reason=cast(Any, VOID_REASONS[word]))]


@statement("collect", "collection")
def _collect(words: Words, context: Context) -> Sequence[Event]:
    counted, deck = words.option("counted"), words.option("deck")
    is_hand = words.is_position()
    of: Any = context.where(words.position()) if is_hand else words.take("all, stub, aside or a position")
    return [
        fact(
            model.CardsCollected,
            deck=deck or context.deck,
            of=of,
            count=words.number("cards", 0, 400),
            counted=words.as_number(counted, "cards", 0, 400) if counted is not None else None,
        )
    ]
