"""One sentence for each recorded event, as an operator would say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dashboards.drawing.names import Formats, position_name, table_name, wager_name

Payload = Mapping[str, Any]

RANKS = {
    "A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight", "7": "seven", "6": "six",
    "5": "five", "4": "four", "3": "three", "2": "deuce",
}  # fmt: skip
SUITS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def card_name(card: str | None) -> str:
    """Return a card's name.

    >>> card_name("Ks"), card_name("Jk"), card_name(None)
    ('king of spades', 'joker', 'a card that was not read')
    """
    if card is None:
        return "a card that was not read"
    if card == "Jk":
        return "joker"
    return f"{RANKS.get(card[0], card[0])} of {SUITS.get(card[1:], card[1:])}"


def cards_short(cards: Sequence[str | None]) -> str:
    """Return cards as signs.

    >>> cards_short(["Ks", "Td", "Jk", None])
    'K♠ 10♦ Joker ?'
    """
    signs = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
    return " ".join(
        "?" if c is None else "Joker" if c == "Jk" else f"{'10' if c[0] == 'T' else c[0]}{signs.get(c[1:], c[1:])}"
        for c in cards
    )


def caption(type_: str, payload: Payload, formats: Formats) -> str:
    """Return an event in one sentence; one of a type not known here is named by its type."""
    say = _SAYINGS.get(type_)
    if say is None:
        return type_.replace("_", " ").capitalize()
    sentence = say(payload, formats)
    return sentence[:1].upper() + sentence[1:]


def _words(token: object) -> str:
    return str(token).replace("_", " ")


def _of(p: Payload, f: Formats, verb: str, tail: str = "") -> str:
    return f"seat {p['seat']} {verb} {f.money(p['amount_cents'])} on the {wager_name(p['wager'])}{tail}"


def _rolled(p: Payload, f: Formats) -> str:
    dice = " ".join("?" if die is None else str(die) for die in p["dice"])
    return f"dice {dice}" + ("" if p["lie"] == "flat" else f", {_words(p['lie'])}")


def _dealt(p: Payload, f: Formats) -> str:
    to = {"burn": "burnt", "side": "to the side"}.get(str(p["to"]), f"to {position_name(p['to']).lower()}")
    return f"{cards_short(p['cards'])} dealt {to}" + (", face up" if p["face_up"] else "")


def _set(p: Payload, f: Formats) -> str:
    hands = [f"{name} {cards_short(p[name])}" for name in ("high", "medium", "low") if p[name]]
    again = f" again ({_words(p['reason'])})" if "reason" in p else ""
    return f"{position_name(p['position'])} set{again}: {'; '.join(hands)}"


def _paid(p: Payload, f: Formats) -> str:
    source = {"slip": " by slip", "player_dealer": " by the player-dealer"}.get(p["source"], "")
    return f"seat {p['seat']} paid {f.money(p['winnings_cents'])} on the {wager_name(p['wager'])}{source}"


def _shaken(p: Payload, f: Formats) -> str:
    if p["times"] is not None:
        return f"dice shaken {p['times']} times"
    return "dice shaken" if p["duration_ms"] is None else f"dice shaken for {p['duration_ms'] / 1000:.1f} s"


def _corrected(p: Payload, f: Formats) -> str:
    instead = p["replacement"]
    what = "never happened" if instead is None else f"is now: {caption(instead['type'], instead['payload'], f)}"
    return f"correction: event {p['supersedes_seq']} {what} ({p['reason']})"


def _voided(p: Payload, f: Formats) -> str:
    what = "round" if p["scope"] == "round" else f"hand of seat {p['scope']}"
    return f"{what} void: {_words(p['reason'])}"


_SAYINGS: dict[str, Callable[[Payload, Formats], str]] = {
    "round_opened": lambda p, f: f"round opened with {_words(p['deck'])}",
    "round_closed": lambda p, f: "round closed",
    "round_voided": _voided,
    "cards_shuffled": lambda p, f: (
        f"cards shuffled, {p['method']}" + ("" if p["count"] is None else f", {p['count']} counted")
    ),
    "cut_offered": lambda p, f: f"cut offered to seat {p['seat']}, {'accepted' if p['accepted'] else 'refused'}",
    "cards_cut": lambda p, f: (
        f"cut by {position_name(p['by']).lower()}, {p['depth']} cards from the {p['counted_from']}"
    ),
    "recut_ordered": lambda p, f: f"recut ordered by {table_name(p['by'])}",
    "patron_seated": lambda p, f: f"{table_name(p['patron'])} sat down at seat {p['seat']}",
    "patron_left": lambda p, f: f"{table_name(p['patron'])} left seat {p['seat']}",
    "dealer_tapped_in": lambda p, f: f"dealer {table_name(p['dealer'])} tapped in",
    "dealer_tapped_out": lambda p, f: f"dealer {table_name(p['dealer'])} tapped out",
    "buy_in": lambda p, f: f"seat {p['seat']} bought in for {f.money(p['amount_cents'])}, {p['form']}",
    "wager_placed": lambda p, f: _of(p, f, "wagered", "" if p["form"] == "chips" else f", {p['form']}"),
    "wager_removed": lambda p, f: _of(p, f, "withdrew"),
    "wager_refused": lambda p, f: _of(p, f, "was refused"),
    "no_more_bets": lambda p, f: f"no more bets, announced by the {p['announced_by']}",
    "progressive_locked": lambda p, f: (
        f"progressive locked: {p['accepted']} wagers accepted, {p['collected']} chips collected"
    ),
    "lammer_placed": lambda p, f: f"Envy lammer placed at seat {p['seat']} ({wager_name(p['wager'])})",
    "progressive_accepted": lambda p, f: (
        f"progressive wager of seat {p['seat']} accepted, {f.money(p['amount_cents'])};"
        f" the meter reads {f.money(p['reading_centicents'] // 100)}"
    ),
    "shaker_shaken": _shaken,
    "dice_rolled": _rolled,
    "total_announced": lambda p, f: f"total of {p['total']} announced",
    "number_drawn": lambda p, f: f"number {p['number']} drawn",
    "start_announced": lambda p, f: f"first card to {position_name(p['position']).lower()}",
    "shaker_covered": lambda p, f: "shaker covered",
    "cards_dealt": _dealt,
    "card_drawn_in_error": lambda p, f: f"{cards_short([p['card']])} drawn in error",
    "card_exposed": lambda p, f: (
        f"{cards_short([p['card']])} of {position_name(p['whose']).lower()} exposed by the {p['by']}"
    ),
    "card_found_face_up": lambda p, f: f"{cards_short([p['card']])} found face up",
    "hand_elected": lambda p, f: f"seat {p['seat']} elected to {'play on' if p['election'] == 'play' else 'void'}",
    "stub_counted": lambda p, f: f"stub counted: {p['count']} cards",
    "hand_examined": lambda p, f: f"seat {p['seat']} looked at the hand",
    "hand_set": _set,
    "hand_reset": _set,
    "surrendered": lambda p, f: f"seat {p['seat']} surrendered",
    "hand_revealed": lambda p, f: f"hands of {position_name(p['position']).lower()} revealed",
    "result_announced": lambda p, f: f"seat {p['seat']}, {wager_name(p['wager'])}: “{p['result']}” announced",
    "envy_acknowledged": lambda p, f: f"Envy hand of seat {p['seat']} acknowledged",
    "light_seen": lambda p, f: f"progressive light of seat {p['seat']} seen",
    "wager_taken": lambda p, f: (
        f"{wager_name(p['wager'])} of seat {p['seat']} taken, {f.money(p['amount_cents'])} ({p['reason']})"
    ),
    "wager_paid": _paid,
    "wager_returned": lambda p, f: (
        f"{wager_name(p['wager'])} of seat {p['seat']} returned, {f.money(p['amount_cents'])} ({p['reason']})"
    ),
    "wager_abandoned": lambda p, f: f"wagers of seat {p['seat']} abandoned",
    "vigorish_taken": lambda p, f: f"vigorish of {f.money(p['amount_cents'])} taken at seat {p['seat']}",
    "envy_paid": lambda p, f: (
        f"seat {p['seat']} paid an Envy Bonus of {f.money(p['amount_cents'])}"
        f" for the hand of {position_name(p['for_position']).lower()}"
    ),
    "progressive_won": lambda p, f: (
        f"seat {p['seat']} won {p['share_bp'] / 100:g} % of the meter at {f.money(p['reading_centicents'] // 100)}"
    ),
    "payout_validated": lambda p, f: f"{wager_name(p['wager'])} of seat {p['seat']} validated by a {_words(p['role'])}",
    "payout_documented": lambda p, f: _of(p, f, "documented:"),
    "cards_collected": lambda p, f: (
        f"{p['count']} cards to the discard rack"
        + ("" if p["of"] == "all" else f", of {position_name(p['of']).lower()}")
    ),
    "device_failed": lambda p, f: f"{_words(p['device'])} failed: {p['fault']}",
    "device_covered": lambda p, f: f"{_words(p['device'])} out of order, {p['how']} placed",
    "device_restored": lambda p, f: f"{_words(p['device'])} works again",
    "intake_refused": lambda p, f: f"input refused at intake: {p['reason']}",
    "shaker_activated": lambda p, f: f"shaker activated at seat {p['seat']}",
    "dice_announced": lambda p, f: "dice announced: " + ", ".join(str(die) for die in p["dice"]),
    "mystery_armed": lambda p, f: (
        f"Must-Hit-By target drawn between {f.money(p['minimum_cents'])} and {f.money(p['maximum_cents'])}"
    ),
    "mystery_hit": lambda p, f: (
        f"seat {p['seat']} hit the Must-Hit-By bonus at {f.money(p['reading_centicents'] // 100)}"
    ),
    "card_burned": lambda p, f: f"{cards_short([p['card']])} burnt, {_words(p['reason'])}",
    "cover_card_placed": lambda p, f: f"cover card placed {p['depth']} cards from the {p['counted_from']}",
    "cover_card_reached": lambda p, f: (
        "cover card first in the shoe" if p["at"] == "start" else f"cover card at {position_name(p['at']).lower()}"
    ),
    "decision_made": lambda p, f: f"seat {p['seat']} decided: {p['decision']}",
    "wager_handled": lambda p, f: f"seat {p['seat']} handled the {wager_name(p['wager'])}",
    "patron_barred": lambda p, f: f"{table_name(p['patron'])} barred: {_words(p['reason'])}",
    "player_dealer_offered": lambda p, f: (
        f"player-dealer position offered to seat {p['seat']}, {'accepted' if p['accepted'] else 'declined'}"
    ),
    "player_dealer_wagered": lambda p, f: f"seat {p['seat']} is the player-dealer with {f.money(p['amount_cents'])}",
    "action_button_placed": lambda p, f: f"action button at seat {p['seat']}",
    "pile_selected": lambda p, f: f"pile {p['pile'].removeprefix('pile-')} selected by the player-dealer",
    "collection_taken": lambda p, f: f"collection fee of {f.money(p['amount_cents'])} taken at seat {p['seat']}",
    "event_corrected": _corrected,
}
