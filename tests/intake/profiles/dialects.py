"""Four vendors at the simulated floor: what its devices report, written as these devices would write it.

Each dialect is the reverse of a profile in `docs/profiles/`, written apart from it. What people and other devices report stays in
our own words.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

from events.vocabulary.envelope import Draft
from events.vocabulary.model import EventCorrected
from intake.lines import parse_line

ROOT = Path(__file__).resolve().parents[3]
PROFILES = ROOT / "docs" / "profiles"
BURST = 7
"""Cards that the shoe writes in one message at most."""

Said = dict[str, Any]


class DialectMessage(NamedTuple):
    """A message, in the dialect of a profile, or in our own words (None); and the events that it represents."""

    profile: str | None
    data: bytes
    events: tuple[tuple[str, Draft], ...]


def told(lines: Iterable[bytes]) -> Iterator[DialectMessage]:
    """Yield what the devices of the floor write, message by message, in the order of the floor's events."""
    deals: list[tuple[str, Draft]] = []
    for line in lines:
        stream, draft = parse_line(line)
        is_deal = draft.source.endswith("-shoe") and draft.payload.TYPE == "cards_dealt"
        if deals and not (is_deal and _continues(deals, stream, draft)):
            yield _deals(deals)
            deals = []
        if is_deal:
            deals.append((stream, draft))
        else:
            profile = DIALECTS.get(draft.source.rpartition("-")[2])
            data = line if profile is None else _SAY[profile](stream, draft)
            yield DialectMessage(profile, data, ((stream, draft),))
    if deals:
        yield _deals(deals)


DIALECTS = {"betting": "betting-pads", "controller": "jackpot-controller", "dealer": "dealer-terminal", "shoe": "card-shoe"}
"""The end of a source → the profile that its device speaks."""


def _json(value: Said) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _dollars(cents: int) -> str:
    return str(Decimal(cents) / 100)


def _iso(at_us: int) -> str:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=at_us)
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _table(stream: str) -> str:
    return stream.removeprefix("table/")


# --------------------------------------------------------------------------------------------------------- betting pads

SPOTS = {"base": "MAIN", "fortune_bonus": "FORT", "progressive": "PROG", "ace_high_bonus": "ACE"}
TENDERS = {"chips": "C", "plaque": "P", "instrument": "I", "cash": "M", "verbal": "V"}
CHIPS = {"r1000": 100_000, "r500": 50_000, "r100": 10_000, "r25": 2_500, "r5": 500, "r1": 100, "half": 50, "odd": 1}


def _betting(stream: str, draft: Draft) -> bytes:
    payload: Any = draft.payload
    said: Said = {
        "evt": {"wager_placed": "BET", "wager_removed": "BACK"}[payload.TYPE],
        "tbl": _table(stream).removeprefix("fu-"),
        "n": draft.source_seq,
        "ts_ms": draft.occurred_at_us // 1000,
        "rnd": draft.round_no,
        "seat": payload.seat,
        "spot": SPOTS[payload.wager],
        "player": payload.bettor,
    }
    left = payload.amount_cents
    for chip, worth in CHIPS.items():
        count, left = divmod(left, worth)
        if count:
            said[chip] = count
    if payload.number is not None:
        said["pick"] = payload.number
    if payload.TYPE == "wager_placed":
        said["tender"] = TENDERS[payload.form]
    return _json(said)


# -------------------------------------------------------------------------------------------------------------- the shoe

SLOW_MS = 2_500


def _code(card: str | None) -> str:
    return "??" if card is None else "JK" if card == "Jk" else card[1].upper() + card[0]


def _ticks(draft: Draft) -> int:
    return draft.occurred_at_us // 1000 - SLOW_MS


def _continues(deals: list[tuple[str, Draft]], stream: str, draft: Draft) -> bool:
    last_stream, last = deals[-1]
    follows = (last_stream, last.source_seq + 1, last.round_no) == (stream, draft.source_seq, draft.round_no)
    return follows and len(deals) < BURST


def _deals(deals: list[tuple[str, Draft]]) -> DialectMessage:
    stream, first = deals[0]
    cards = []
    for _, draft in deals:
        payload: Any = draft.payload
        place = {"dealer": "0", "burn": "B", "side": "X"}.get(payload.to, str(payload.to))
        code = " ".join(map(_code, payload.cards))
        cards.append({"p": place, "c": code, "u": int(payload.face_up), "w": _ticks(draft)})
    said = {"k": "D", "t": _table(stream)[3:], "n": first.source_seq, "r": first.round_no, "w": _ticks(first), "b": cards}
    return DialectMessage("card-shoe", _json(said), tuple(deals))


def _shoe(stream: str, draft: Draft) -> bytes:
    payload: Any = draft.payload
    kind = {"card_found_face_up": "F", "card_drawn_in_error": "E"}[payload.TYPE]
    said = {"k": kind, "t": _table(stream)[3:], "n": draft.source_seq, "r": draft.round_no, "w": _ticks(draft)}
    return _json(said | {"c": _code(payload.card)})


# ----------------------------------------------------------------------------------------------------- jackpot controller


def _controller(stream: str, draft: Draft) -> bytes:
    payload: Any = draft.payload
    columns: Said = {"time": _iso(draft.occurred_at_us), "meter": stream.removeprefix("meter/"), "count": draft.source_seq}

    def precise(name: str) -> str:
        return str(Decimal(getattr(payload, name)) / 10_000)

    match payload.TYPE:
        case "gaming_day_opened":
            columns |= {"what": "DAY", "text": payload.gaming_day}
        case "meter_set":
            columns |= {"what": "SET", "more": payload.chapter, "table": payload.paytable, "rate": payload.rate_bp}
            columns |= {"text": payload.reason, "reserve_rate": payload.reserve_rate_bp, "amount": _dollars(payload.seed_cents)}
        case "meter_advanced":
            columns |= {"what": "ADD", "amount": _dollars(payload.wager_cents)}
        case "meter_reset":
            columns |= {"what": "HIT", "amount": precise("paid_centicents"), "rate": payload.share_bp}
    if payload.TYPE != "gaming_day_opened":
        columns |= {"reserve": precise("reserve_centicents"), "value": precise("value_centicents")}
    if payload.TYPE in ("meter_advanced", "meter_reset"):
        columns |= {"table": payload.table, "round": payload.round_no, "seat": payload.seat}
    written = io.StringIO()
    csv.writer(written, lineterminator="").writerow([columns.get(name, "") for name in COLUMNS])
    return written.getvalue().encode()


COLUMNS = (PROFILES / "jackpot-controller.csv").read_text().partition("\n")[0].split(",")


# -------------------------------------------------------------------------------------------------------- dealer terminal

KINDS = {
    "round_opened": "gameStarted",
    "no_more_bets": "betsClosed",
    "lammer_placed": "lammerPlaced",
    "start_announced": "startAnnounced",
    "total_announced": "totalAnnounced",
    "stack_moved": "stackMoved",
    "card_exposed": "cardExposed",
    "foreign_card_found": "foreignCardFound",
    "boxed_card_found": "boxedCardFound",
    "device_alarmed": "deviceAlarmed",
    "stub_counted": "stubCounted",
    "cards_collected": "cardsCollected",
    "hand_set": "handSet",
    "hand_reset": "handReset",
    "hand_examined": "handExamined",
    "hand_revealed": "handRevealed",
    "result_announced": "resultAnnounced",
    "wager_returned": "betReturned",
    "wager_taken": "betTaken",
    "wager_refused": "betRefused",
    "wager_paid": "betPaid",
    "wager_abandoned": "betAbandoned",
    "vigorish_taken": "commissionTaken",
    "light_seen": "lightSeen",
    "envy_acknowledged": "envyAcknowledged",
    "envy_paid": "envyPaid",
    "cards_shuffled": "deckShuffled",
    "cut_offered": "cutOffered",
    "cards_cut": "deckCut",
    "round_voided": "gameVoided",
    "hand_elected": "handElected",
    "surrendered": "surrendered",
    "round_closed": "gameClosed",
}
BETS = {"base": "mainBet", "fortune_bonus": "fortuneBonus", "progressive": "progressiveBet", "ace_high_bonus": "aceHighBonus"}
SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def _face(card: str | None) -> str | None:
    if card is None:
        return None
    return "Joker" if card == "Jk" else card[0].replace("T", "10") + SUITS[card[1]]


def _box(place: int | str) -> str:
    return f"Box{place}" if isinstance(place, int) else place.capitalize()


def _dealer(stream: str, draft: Draft) -> bytes:
    payload: Any = draft.payload
    header: Said = {
        "messageId": draft.event_id,
        "tableId": _table(stream),
        "sequenceNumber": draft.source_seq,
        "sentAt": _iso(draft.occurred_at_us),
    }
    if draft.round_no is not None:
        header["gameNumber"] = draft.round_no
    body: Said = {"eventName": KINDS[payload.TYPE]}
    bet: Said = {}
    for name in payload.__struct_fields__:
        value = getattr(payload, name)
        if value is not None:
            _say(payload.TYPE, name, value, body, bet)
    if bet:
        body["bet"] = bet
    return _json({"header": header, "body": body})


def _say(type_: str, name: str, value: Any, body: Said, bet: Said) -> None:
    """Write a field of an event if the terminal has it."""
    if name in ("seat", "position", "whose", "of"):
        body["box"] = _box(value)
    elif name in ("high", "low", "medium"):
        if value or name != "medium":
            body.setdefault("hands", {})[name] = [_face(card) for card in value]
    elif name in ("bettor", "number"):
        bet[{"bettor": "playerId", "number": "pick"}[name]] = value
    elif name in ("amount_cents", "stake_cents", "winnings_cents"):
        bet[name.removesuffix("_cents")] = float(_dollars(value))
    elif name == "wager":
        if type_ in ("lammer_placed", "result_announced"):
            body["betKind"] = BETS[value]
        else:
            bet["kind"] = BETS[value]
    elif name == "by":
        said = {"round_closed": "dealerId", "card_exposed": "exposedBy", "cards_cut": "cutBy"}.get(type_, "setBy")
        body[said] = _box(value) if isinstance(value, int) else value
    elif name == "scope":
        body["scope"] = "wholeGame" if value == "round" else _box(value)
    elif name in ("for_position", "at", "to", "found"):
        said = {"for_position": "forBox", "at": "fromBox", "to": "toBox", "found": "foundAt"}[name]
        body[said] = _box(value)
    elif name == "card":
        body["card"] = _face(value)
    elif name != "method":
        body[NAMES[name]] = value


NAMES = {
    "deck": "deckId",
    "observed": "covers",
    "announced_by": "announcedBy",
    "total": "total",
    "count": "cardCount",
    "counted": "countedFaceDown",
    "exposed": "exposedCount",
    "result": "result",
    "reason": "reason",
    "source": "paidFrom",
    "accepted": "accepted",
    "counted_from": "countedFrom",
    "depth": "depth",
    "election": "election",
    "back_colour": "backColour",
    "used": "usedAsNext",
    "alarm": "alarm",
    "device": "device",
}

_SAY = {"betting-pads": _betting, "card-shoe": _shoe, "jackpot-controller": _controller, "dealer-terminal": _dealer}


def corrected_id(draft: Draft, ids: dict[str, str]) -> Draft:
    """Return a draft that names the events that it corrects by the ids that the log has for them."""
    import msgspec

    payload = draft.payload
    if not isinstance(payload, EventCorrected) or payload.supersedes_event_id not in ids:
        return draft
    changed = msgspec.structs.replace(payload, supersedes_event_id=ids[payload.supersedes_event_id])
    return msgspec.structs.replace(draft, payload=changed)
