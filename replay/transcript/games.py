"""The statements of a transcript that only some games have: dice wagers, Must-Hit-By, the shoe, decisions, the player-dealer."""

from collections.abc import Sequence
from typing import Any, cast

from events.vocabulary import model
from events.vocabulary.model import Event, fact
from replay.transcript.read import Context, bettor_of, statement
from replay.transcript.words import Words

# ------------------------------------------------------------------------------------------ dice wagers, Must-Hit-By (645c)


@statement("announce_dice")
def _announce_dice(words: Words, context: Context) -> Sequence[Event]:
    return [model.DiceAnnounced(dice=[words.number("a die", 1, 6) for _ in range(3)])]


def _mystery_meter(words: Words, context: Context) -> str:
    return words.option("id") or context.book.mystery_meter or "mystery"


def _reading(words: Words) -> int:
    reading = words.option("meter")
    if reading is None:
        raise words.error("expected meter=READING, the Must-Hit-By meter")
    return words.as_meter(reading)


@statement("armed", "mystery")
def _armed(words: Words, context: Context) -> Sequence[Event]:
    offer = context.book.offers.get("mystery")
    filed = offer.paytable if offer is not None else None
    minimum, maximum, rate = words.option("minimum"), words.option("maximum"), words.option("rate")
    if filed is None and (minimum is None or maximum is None or rate is None):
        raise words.error("expected minimum=, maximum= and rate=, or mystery=A-1 (or another) in the rules line")
    return [
        model.MysteryArmed(
            commitment=words.option("commitment"),
            meter=_mystery_meter(words, context),
            reading_centicents=_reading(words),
            minimum_cents=words.as_money(minimum) if minimum is not None else filed.seed_cents if filed else 0,
            maximum_cents=words.as_money(maximum) if maximum is not None else filed.maximum_cents if filed else 0,
            rate_bp=words.as_percent_bp(rate) if rate is not None else filed.rate_bp if filed else 0,
        )
    ]


@statement("contributed", "mystery")
def _contributed(words: Words, context: Context) -> Sequence[Event]:
    seat, meter, reading, at = words.seat(), _mystery_meter(words, context), _reading(words), words.option("meter_seq")
    context.meter_seq = words.as_number(at, "a meter number", 1) if at is not None else context.meter_seq + 1
    return [
        fact(
            model.ProgressiveAccepted,
            seat=seat,
            meter=meter,
            amount_cents=words.money(),
            reading_centicents=reading,
            meter_seq=context.meter_seq,
        )
    ]


@statement("mystery_hit", "mystery")
def _mystery_hit(words: Words, context: Context) -> Sequence[Event]:
    seat, meter, reading = words.seat(), _mystery_meter(words, context), _reading(words)
    target, after, nonce = words.option("target"), words.option("after"), words.option("nonce")
    offer = context.book.offers.get("mystery")
    minimum = offer.paytable.seed_cents * 100 if offer is not None and offer.paytable is not None else 0
    return [
        model.MysteryHit(
            seat=seat,
            meter=meter,
            reading_centicents=reading,
            nonce=nonce,
            round_no=context.round_no,
            table=context.table,
            target_centicents=words.as_meter(target) if target is not None else None,
            after_centicents=words.as_meter(after) if after is not None else minimum,
        )
    ]


# --------------------------------------------------------------------------------------- the shoe, decisions (686a, 687a)


@statement("burn", "deal")
def _burn(words: Words, context: Context) -> Sequence[Event]:
    reason = words.one_of(("dealer", "reshuffle", "shoe"), "shoe")
    card = words.card() if words.rest else None
    reasons = {"dealer": "new_dealer", "reshuffle": "reshuffle", "shoe": "new_shoe"}
    return [model.CardBurned(card=cast(Any, card), reason=cast(Any, reasons[reason]))]


@statement("cover_card", "shuffle")
def _cover_card(words: Words, context: Context) -> Sequence[Event]:
    if words.one_of(("placed", "reached")) == "placed":
        bottom = words.flag("from_bottom")
        words.flag("from_top")
        return [model.CoverCardPlaced(depth=words.number("cards", 0, 400), counted_from="bottom" if bottom else "top")]
    at: Any = "start" if words.flag("start") else words.position()
    return [model.CoverCardReached(at=at)]


@statement("bar")
def _bar(words: Words, context: Context) -> Sequence[Event]:
    patron = words.take("a patron")
    return [model.PatronBarred(patron=patron, reason=words.take("a reason") if words.rest else "mid_shoe")]


# ------------------------------------------------------------------------------------------------- California: player-dealer


@statement("player_dealer")
def _player_dealer(words: Words, context: Context) -> Sequence[Event]:
    seat = words.seat()
    bettor = bettor_of(words, context, seat)
    context.player_dealer = seat
    return [model.PlayerDealerWagered(seat=seat, bettor=bettor, amount_cents=words.money())]


@statement("deal_piles", "deal")
def _deal_piles(words: Words, context: Context) -> Sequence[Event]:
    there = [1, 2, 3, 4, 5, 6, 7]
    order = [pile for turn in range(7) for pile in (there if turn % 2 == 0 else there[::-1])]
    cards = words.cards()
    if not cards or len(cards) > len(order):
        raise words.error(f"expected 49 cards, one at a time from pile 1 to 7 and back, got {len(cards)}")
    return [
        fact(model.CardsDealt, to=f"pile-{pile}", cards=[card], face_up=False) for pile, card in zip(order, cards, strict=False)
    ]
