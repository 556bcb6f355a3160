"""Folds a round's events to the state of the table after each of them.

Invariant: it shows what was recorded, right or wrong, and judges nothing. It does not fold a round a second time: a replay
computes a round's result, a picture what lies on the felt after each event, even of a round that no rule could be applied to.
`replay/fold/corrections.py` decides which corrections are valid (D140); a corrected event is drawn as its replacement from the
correction on, and not at all if it moved to another round. An event without a visible change leaves the table as it is.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from replay.fold.corrections import Substitute, correction_of, counting

Payload = Mapping[str, Any]
Position = int | str
CLOCKWISE: tuple[Position, ...] = (1, 2, 3, 4, 5, 6, "dealer")


@dataclass(frozen=True)
class ReplayStep:
    """One recorded event: `payload` as decoded, `raw` as stored, `hash` the chain's head after it."""

    seq: int
    event_id: str
    type: str
    occurred_at_us: int
    source: str
    payload: Payload
    raw: str
    hash: str
    round_no: int | None = None


@dataclass
class Box:
    """A position: the cards dealt in order, the hands once set, chips by wager, and the actions on them.

    `collected` wagers are in play although the dealer took their chips (a progressive once it is locked).
    """

    cards: list[str | None] = field(default_factory=list)
    high: list[str | None] = field(default_factory=list)
    medium: list[str | None] = field(default_factory=list)
    low: list[str | None] = field(default_factory=list)
    chips: dict[str, int] = field(default_factory=dict)
    settled: list[tuple[str, str, int]] = field(default_factory=list)
    lammers: list[str] = field(default_factory=list)
    collected: set[str] = field(default_factory=set)
    patron: str | None = None
    mark: str = ""

    @property
    def in_play(self) -> bool:
        """Whether there is a wager here."""
        return bool(self.chips or self.settled)

    @property
    def is_set(self) -> bool:
        """Whether the hands were set."""
        return bool(self.high or self.medium or self.low)


@dataclass
class Table:
    """The table's state: `focus` is the last event's position, `bank` and `action` are seats of a player-dealer's game."""

    boxes: dict[Position, Box] = field(default_factory=lambda: {position: Box() for position in CLOCKWISE})
    dice: list[int | None] = field(default_factory=list)
    dice_colours: list[str] | None = None
    lie: str = "flat"
    number: int | None = None
    total: int | None = None
    start: Position | None = None
    aside: list[str | None] = field(default_factory=list)
    side: str | None = None
    burnt: int = 0
    bank: int | None = None
    action: int | None = None
    stub: int | None = None
    no_more_bets: bool = False
    voided: str | None = None
    closed: bool = False
    focus: Position | None = None

    def box(self, position: Position) -> Box:
        """Return a position's box, made if it is new."""
        return self.boxes.setdefault(position, Box())


def steps_of(rows: Sequence[Mapping[str, Any]]) -> list[ReplayStep]:
    """Return a round's recorded events in order, from rows of `round_events`."""
    return [
        ReplayStep(
            seq=row["seq"],
            event_id=row["event_id"],
            type=row["type"],
            occurred_at_us=row["occurred_at_us"],
            source=row["source"],
            payload=json.loads(row["payload"]),
            raw=row["payload"],
            hash=row["hash"],
            round_no=row.get("round_no"),
        )
        for row in rows
    ]


def table_after(steps: Sequence[ReplayStep], step: int) -> Table:
    """Return the table after the first `step` events (0: before any)."""
    seen = steps[:step]
    replaced = replacements(seen)
    table = Table()
    for current in seen:
        type_, payload = current.type, current.payload
        if current.seq in replaced:
            instead = replaced[current.seq]
            if instead is None or current.round_no not in (None, instead[0]):
                continue
            type_, payload = instead[1].TYPE, msgspec.to_builtins(instead[1])
        table.focus = focus_of(type_, payload)
        fold = _FOLDS.get(type_)
        if fold is not None:
            fold(table, payload)
    return table


def replacements(seen: Sequence[ReplayStep]) -> dict[int, Substitute]:
    """Return number → the last replacement of an event, None for an event that never happened."""
    said = [correction_of(step.seq, step.payload) for step in seen if step.type == "event_corrected"]
    counts = counting(said, {step.seq: step.event_id for step in seen})
    return {superseded: each.replacement for superseded, each in counts.items()}


def focus_of(type_: str, payload: Payload) -> Position | None:
    """Return the position of an event."""
    if type_ in _OF_THE_TABLE:
        return None
    for key in ("seat", "position", "to", "whose", "of", "scope"):
        value = payload.get(key)
        if isinstance(value, int) or value == "dealer":
            return value
    return None


_OF_THE_TABLE = frozenset({"start_announced"})


def _wager_placed(table: Table, p: Payload) -> None:
    chips = table.box(p["seat"]).chips
    chips[p["wager"]] = chips.get(p["wager"], 0) + p["amount_cents"]


def _wager_removed(table: Table, p: Payload) -> None:
    _lift(table.box(p["seat"]), p["wager"], p["amount_cents"])


def _lift(box: Box, wager: str, cents: int) -> None:
    left = box.chips.get(wager, 0) - cents
    if left > 0:
        box.chips[wager] = left
    else:
        box.chips.pop(wager, None)


def _wager_taken(table: Table, p: Payload) -> None:
    box = table.box(p["seat"])
    _lift(box, p["wager"], p["amount_cents"])
    box.settled.append((p["wager"], p["reason"], -p["amount_cents"]))


def _wager_paid(table: Table, p: Payload) -> None:
    box = table.box(p["seat"])
    _lift(box, p["wager"], p["stake_cents"])
    box.settled.append((p["wager"], "slip" if p["source"] == "slip" else "paid", p["winnings_cents"]))


def _wager_returned(table: Table, p: Payload) -> None:
    box = table.box(p["seat"])
    _lift(box, p["wager"], p["amount_cents"])
    box.settled.append((p["wager"], p["reason"], 0))


def _envy_paid(table: Table, p: Payload) -> None:
    envy = "progressive_envy" if p["wager"] == "progressive" else "fortune_envy"
    table.box(p["seat"]).settled.append((envy, "paid", p["amount_cents"]))


def _vigorish_taken(table: Table, p: Payload) -> None:
    table.box(p["seat"]).settled.append(("vigorish", "taken", -p["amount_cents"]))


def _progressive_locked(table: Table, p: Payload) -> None:
    for box in table.boxes.values():
        if "progressive" in box.chips:
            box.collected.add("progressive")


def _lammer_placed(table: Table, p: Payload) -> None:
    table.box(p["seat"]).lammers.append(p["wager"])


def _dice_rolled(table: Table, p: Payload) -> None:
    table.dice, table.dice_colours, table.lie = list(p["dice"]), p.get("colours"), p["lie"]
    table.total = table.start = None


def _number_drawn(table: Table, p: Payload) -> None:
    table.number = p["number"]


def _total_announced(table: Table, p: Payload) -> None:
    table.total = p["total"]


def _start_announced(table: Table, p: Payload) -> None:
    table.start = p["position"]


def _cards_dealt(table: Table, p: Payload) -> None:
    if p["to"] == "side":
        table.side = str(p["cards"][-1] or "??")
    elif p["to"] == "burn":
        table.aside.extend(p["cards"])
    elif not str(p["to"]).startswith("pile"):
        table.box(p["to"]).cards.extend(p["cards"])


def _card_aside(table: Table, p: Payload) -> None:
    table.aside.append(p["card"])


def _stub_counted(table: Table, p: Payload) -> None:
    table.stub = p["count"]


def _hand_set(table: Table, p: Payload) -> None:
    box = table.box(p["position"])
    box.high, box.medium, box.low = list(p["high"]), list(p["medium"]), list(p["low"])


def _mark(words: str) -> Callable[[Table, Payload], None]:
    def fold(table: Table, p: Payload) -> None:
        table.box(p["seat"]).mark = words

    return fold


def _hand_elected(table: Table, p: Payload) -> None:
    if p["election"] == "void":
        table.box(p["seat"]).mark = "hand void"


def _patron_seated(table: Table, p: Payload) -> None:
    table.box(p["seat"]).patron = p["patron"]


def _decision_made(table: Table, p: Payload) -> None:
    table.box(p["seat"]).mark = {"fold": "folded", "raise": "raised"}.get(p["decision"], str(p["decision"]))


def _card_burned(table: Table, p: Payload) -> None:
    table.burnt += 1


def _player_dealer(table: Table, p: Payload) -> None:
    table.bank = p["seat"]
    table.box(p["seat"]).chips["player_dealer"] = p["amount_cents"]
    table.box(p["seat"]).mark = "player-dealer"


def _action(table: Table, p: Payload) -> None:
    table.action = p["seat"]
    table.box(p["seat"]).mark = table.box(p["seat"]).mark or "action"


def _no_more_bets(table: Table, p: Payload) -> None:
    table.no_more_bets = True


def _round_voided(table: Table, p: Payload) -> None:
    if p["scope"] == "round":
        table.voided = p["reason"]
    else:
        table.box(p["scope"]).mark = "hand void"


def _cards_collected(table: Table, p: Payload) -> None:
    if p["of"] == "stub":
        table.stub = None
    elif p["of"] == "aside":
        table.aside = []


def _round_closed(table: Table, p: Payload) -> None:
    table.closed = True


_FOLDS: dict[str, Callable[[Table, Payload], None]] = {
    "wager_placed": _wager_placed,
    "wager_removed": _wager_removed,
    "wager_taken": _wager_taken,
    "wager_paid": _wager_paid,
    "wager_returned": _wager_returned,
    "envy_paid": _envy_paid,
    "vigorish_taken": _vigorish_taken,
    "lammer_placed": _lammer_placed,
    "progressive_locked": _progressive_locked,
    "no_more_bets": _no_more_bets,
    "dice_rolled": _dice_rolled,
    "number_drawn": _number_drawn,
    "total_announced": _total_announced,
    "start_announced": _start_announced,
    "cards_dealt": _cards_dealt,
    "card_drawn_in_error": _card_aside,
    "card_found_face_up": _card_aside,
    "stub_counted": _stub_counted,
    "hand_set": _hand_set,
    "hand_reset": _hand_set,
    "hand_elected": _hand_elected,
    "surrendered": _mark("surrendered"),
    "wager_abandoned": _mark("abandoned"),
    "patron_seated": _patron_seated,
    "decision_made": _decision_made,
    "card_burned": _card_burned,
    "player_dealer_wagered": _player_dealer,
    "action_button_placed": _action,
    "round_voided": _round_voided,
    "cards_collected": _cards_collected,
    "round_closed": _round_closed,
}
