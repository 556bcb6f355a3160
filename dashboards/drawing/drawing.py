"""Cards, dice, chips and the table as SVG: pure functions.

Invariant: nothing is fetched (suits are paths, fonts are the page's own), everything drawn has a `<title>`, and color never
carries meaning alone: a suit has its shape, a wager its letter, over and under their sign and word. Seen from above with the
dealer at the top, seat 1 (at the dealer's left) is on the right and the seats go clockwise.
"""

from collections.abc import Sequence

import msgspec

from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import Box, Position, Table
from desk.printable import escape
from replay.narrative.names import card_name, position_name, wager_name

CARD_W, CARD_H, FAN = 40, 56, 27
ROW_W = 154
"""The room for the cards of a seat before they are set: with a card too many they lie closer, and stay in its box."""

FELT, FELT_EDGE, FELT_LINE, PAPER = "var(--rk-felt)", "var(--rk-felt-edge)", "var(--rk-felt-line)", "var(--rk-card)"
INK, RED = "#1c2a2e", "#b3261e"
ON_FELT, ON_FELT_SOFT = "#f3f7f5", "#bcd5cc"
OVER, UNDER, JOKER = "#0a5fa8", "#b44a00", "#6b3fa0"

CHIPS = {
    "base": ("B", "#f4f1e8"),
    "ace_high_bonus": ("A", "#f2c14e"),
    "fortune_bonus": ("F", "#9fd0f0"),
    "progressive": ("P", "#e8a9c4"),
    **{
        wager: (letter, "#d6d6d6")
        for wager, letter in {
            "ante": "E",
            "backline": "K",
            "bad_beat": "2",
            "beat_it": "T",
            "blind": "L",
            "bonus": "N",
            "insurance": "I",
            "match": "M",
            "mystery": "Y",
            "over": "O",
            "player_dealer": "D",
            "raise": "R",
            "sum": "S",
            "tiger_9": "9",
            "trips": "3",
            "under": "U",
        }.items()
    },
}
"""Wager → the letter and the color of its chip; no letter represents two. A wager that is not here has a small letter."""

Places = dict[Position, tuple[int, int]]
"""The middle of the top edge of each seat's cards."""

SEATS: Places = {1: (850, 84), 2: (768, 318), 3: (582, 452), 4: (378, 452), 5: (192, 318), 6: (110, 84)}
SEVEN: Places = {1: (846, 62), 2: (846, 296), 3: (676, 452), 4: (480, 452), 5: (284, 452), 6: (114, 296), 7: (114, 62)}
"""The same at a table of seven seats (California)."""

UPRIGHT: Places = {1: (280, 276), 2: (280, 508), 3: (280, 740), 4: (96, 740), 5: (96, 508), 6: (96, 276)}
SEVEN_UPRIGHT: Places = {1: (280, 276), 2: (280, 508), 3: (280, 740), 4: (188, 972), 5: (96, 740), 6: (96, 508), 7: (96, 276)}
"""Two seats abreast, for a phone."""

BOX_W, BOX_H, BOX_ABOVE = 166, 228, 30
"""A seat's box, and how far it begins above its cards."""
FLAG_W = BOX_W - 6


class Layout(msgspec.Struct, frozen=True):
    """The geometry of a picture: its size, the row of the dice, the legend, the side card, the felt, the seats."""

    width: int
    height: int
    middle_y: int
    legend_y: int
    side_x: int
    felt: str
    seats: Places


def layout(table: Table, *, upright: bool = False) -> Layout:
    """Return the layout of a table: wide as on the floor, or upright, two seats side by side, for a phone."""
    seven = 7 in table.boxes or table.bank is not None
    if not upright:
        if seven:
            felt = "M14 14H946V470C946 620 860 706 700 706H260C100 706 14 620 14 470Z"
            return Layout(960, 712, 186, 676, 190, felt, SEVEN)
        felt = "M14 14H946V360C946 590 710 706 480 706S14 590 14 360Z"
        return Layout(960, 712, 186, 672, 190, felt, SEATS)
    down = 70 if table.aside else 0
    bottom = (1194 if seven else 962) + down
    felt = f"M8 8H368V{bottom - 40}Q368 {bottom + 16} 312 {bottom + 16}H64Q8 {bottom + 16} 8 {bottom - 40}Z"
    places = {seat: (x, y + down) for seat, (x, y) in (SEVEN_UPRIGHT if seven else UPRIGHT).items()}
    return Layout(376, bottom + 24, 122, bottom - 4, 132, felt, places)


_SUITS = {
    "s": "M8 1C10 5 15 7 15 11a3.4 3.4 0 0 1-6.1 2C9 14.600 9.600 15.500 10.800 16H5.200C6.400 15.500 7 14.600 7.100 13"
    "A3.4 3.4 0 0 1 1 11C1 7 6 5 8 1Z",
    "h": "M8 15.500C3 11.500 1 8.800 1 5.700A3.600 3.600 0 0 1 8 4.100A3.600 3.600 0 0 1 15 5.700C15 8.800 13 11.500 8 15.500Z",
    "d": "M8 .5 14 8 8 15.500 2 8Z",
    "c": "M8 1a3.300 3.300 0 0 1 2.800 5.100A3.400 3.400 0 1 1 9 11.500c.1 2 .8 3.600 2 4.500H5c1.200-.9 1.900-2.500 2-4.500"
    "A3.400 3.400 0 1 1 5.200 6.100 3.300 3.300 0 0 1 8 1Z",
}
_PIPS = {
    1: ((2, 2),),
    2: ((1, 1), (3, 3)),
    3: ((1, 1), (2, 2), (3, 3)),
    4: ((1, 1), (3, 1), (1, 3), (3, 3)),
    5: ((1, 1), (3, 1), (2, 2), (1, 3), (3, 3)),
    6: ((1, 1), (3, 1), (1, 2), (3, 2), (1, 3), (3, 3)),
}
_DICE = {"red": ("#b3261e", PAPER), "blue": ("#1f4e9c", PAPER), "white": (PAPER, INK)}


class Flag(msgspec.Struct, frozen=True):
    """A finding's mark at a position: its words, and the money (negative: the patron is short; None: none)."""

    position: Position
    words: str
    cents: int | None


def _text(
    x: float, y: float, words: str, size: float = 13, color: str = ON_FELT, anchor: str = "start", weight: int = 400
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" fill="{color}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(words)}</text>'
    )


def card(x: float, y: float, face: str | None) -> str:
    """Return a card with its upper left corner at (x, y); None is an unread card."""
    name = card_name(face)
    frame = f'<rect width="{CARD_W}" height="{CARD_H}" rx="5" fill="{PAPER}" stroke="#9fb0aa"/>'
    if face is None:
        inner = f'<rect x="3" y="3" width="{CARD_W - 6}" height="{CARD_H - 6}" rx="3" fill="#e9edeb"/>' + _text(
            CARD_W / 2, 37, "?", 24, "#5b6b66", "middle", 700
        )
    elif face == "Jk":
        star = "M8 .6 10.200 5.700 15.600 6.200 11.500 9.800 12.800 15.200 8 12.300 3.200 15.200 4.500 9.800.4 6.200 5.800 5.700Z"
        inner = _text(4, 18, "JK", 14, JOKER, weight=700) + _path(star, 5, 23, 1.0, JOKER)
    else:
        color = RED if face[1] in "hd" else INK
        rank = "10" if face[0] == "T" else face[0]
        spacing = ' letter-spacing="-1"' if rank == "10" else ""
        inner = (
            f'<text x="{3 if rank == "10" else 5}" y="19" font-size="18" font-weight="700" fill="{color}"{spacing}>'
            f"{rank}</text>{_path(_SUITS[face[1]], 5, 24, 0.95, color)}"
        )
    return f'<g transform="translate({x:g} {y:g})"><title>{escape(name)}</title>{frame}{inner}</g>'


def _path(d: str, x: float, y: float, scale: float, color: str) -> str:
    return f'<path transform="translate({x:g} {y:g}) scale({scale:g})" d="{d}" fill="{color}"/>'


def hand(x: float, y: float, cards: Sequence[str | None], fan: float = FAN) -> str:
    """Return cards fanned to the right from (x, y)."""
    return "".join(card(x + i * fan, y, face) for i, face in enumerate(cards))


def hand_width(count: int) -> float:
    """Return the width of this many fanned cards.

    >>> hand_width(5), hand_width(0)
    (148, 0)
    """
    return CARD_W + FAN * (count - 1) if count else 0


def die(x: float, y: float, value: int | None, color: str = "white", *, tilted: bool = False) -> str:
    """Return a die of 36 units; None is an unread die."""
    fill, pip = _DICE.get(color, _DICE["white"])
    if value is None:
        marks = _text(18, 26, "?", 22, pip, "middle", 700)
    else:
        marks = "".join(f'<circle cx="{9 * i}" cy="{9 * j}" r="3.4" fill="{pip}"/>' for i, j in _PIPS[value])
    turn = " rotate(14 18 18)" if tilted else ""
    name = "a die that was not read" if value is None else f"{color} die, {value}"
    return (
        f'<g transform="translate({x:g} {y:g}){turn}"><title>{name}</title>'
        f'<rect width="36" height="36" rx="7" fill="{fill}" stroke="{FELT_EDGE}"/>{marks}</g>'
    )


CHIP_R = 10


def chip(x: float, y: float, wager: str) -> str:
    """Return a chip centered at (x, y) with the wager's letter."""
    letter, color = CHIPS.get(wager, (wager_name(wager)[0].lower(), "#d6d6d6"))
    return (
        f'<g><circle cx="{x:g}" cy="{y:g}" r="{CHIP_R}" fill="{color}" stroke="{FELT_EDGE}" stroke-width="1.500"/>'
        f"{_text(x, y + 4.500, letter, 12.500, INK, 'middle', 700)}</g>"
    )


def flag_mark(cents: int | None) -> tuple[str, str]:
    """Return a finding's shape and color: a triangle down for short, up for over, a diamond without money."""
    if not cents:
        return "\N{BLACK DIAMOND}", INK
    return ("\N{BLACK DOWN-POINTING TRIANGLE}", UNDER) if cents < 0 else ("\N{BLACK UP-POINTING TRIANGLE}", OVER)


def _flag(x: float, y: float, flag: Flag) -> str:
    """Return a finding's words in a badge, whose top edge is centered at (x, y), never wider than a seat's box."""
    shape, color = flag_mark(flag.cents)
    words = f"{shape} {flag.words}"
    size = min(13.0, (FLAG_W - 14) / (LETTER_W * len(words)))
    width = min(FLAG_W, 14 + LETTER_W * size * len(words))
    written = _text(x, y + 15.500, words, round(size, 2), color, "middle", 700)
    return (
        f'<g><title>{escape(flag.words)}</title><rect x="{x - width / 2:g}" y="{y:g}" width="{width:g}" height="22" rx="11" '
        f'fill="{PAPER}" stroke="{color}" stroke-width="2"/>{written}</g>'
    )


LETTER_W = 0.52
"""A letter's width, as a share of its size."""


def _flags(flags: Sequence[Flag], place: Layout) -> str:
    """Return a flag in the free space of each position with findings: the first in words, and the number of others."""
    parts = []
    for position in dict.fromkeys(flag.position for flag in flags):
        first, *more = [flag for flag in flags if flag.position == position]
        shown = Flag(position, f"{first.words} +{len(more)}", first.cents) if more else first
        if position in place.seats:
            x, y = place.seats[position]
            parts.append(_flag(x, y - BOX_ABOVE + BOX_H - 26, shown))
        else:
            parts.append(_flag(place.width / 2, 50 + CARD_H, shown))
    return "".join(parts)


def _chips(x: float, y: float, box: Box, formats: Formats) -> str:
    """Return the chips: three next to set hands, or six in two columns if no hands are set."""
    parts, rows = [], 3
    most = rows if box.is_set else 2 * rows
    shown, left = x if box.is_set else x - 78, len(box.chips) - most
    for i, (wager, cents) in enumerate(list(box.chips.items())[:most]):
        x, i = shown + 74 * (i // rows), i % rows
        gone = wager in box.collected
        amount = formats.chips(cents) + (" in" if gone else "")
        said = f"{wager_name(wager)}, {formats.money(cents)} {'collected, in play' if gone else 'at stake'}"
        parts.append(
            f'<g opacity="{0.600 if gone else 1}"><title>{escape(said)}</title>'
            f"{chip(x + CHIP_R, y + CHIP_R + i * 20, wager)}{_text(x + 24, y + 15 + i * 20, amount, 14, ON_FELT, weight=600)}</g>"
        )
    if left > 0:
        parts.append(_text(x + 52, y + 13.500, f"+{left}", 12, ON_FELT_SOFT, weight=600))
    return "".join(parts)


def _short(wager: str) -> str:
    return wager_name(wager).removesuffix(" Bonus").removesuffix(" wager")


def _outcome(wager: str, how: str, cents: int, formats: Formats) -> str:
    if how in ("paid", "slip"):
        return f"{_short(wager)} {formats.signed(cents)}" + (" by slip" if how == "slip" else "")
    if cents:
        return f"{_short(wager)} {formats.signed(cents)}" + ("" if how in ("lost", "taken") else f" {how}")
    return f"{_short(wager)} {how}"


def _cards(x: float, y: float, box: Box) -> str:
    """Return a seat's cards: low in front (above), high behind; before they are set, all in a row below."""
    if not box.is_set:
        fan = min(FAN, (ROW_W - CARD_W) / max(1, len(box.cards) - 1))
        return hand(x, y + CARD_H + 5, box.cards, fan)
    medium = hand(x + hand_width(len(box.low)) + 8, y, box.medium) if box.medium else ""
    return hand(x, y, box.low) + medium + hand(x, y + CARD_H + 5, box.high)


FITS = 27
"""This many letters of an outcome fit into a seat's box; longer ones are written smaller."""


def _seat(seat: Position, place: Layout, table: Table, formats: Formats) -> str:
    x, y = place.seats[seat]
    box = table.box(seat)
    left, wide = x - 74, 148  # of the cards
    taken = bool(box.cards or box.chips or box.settled)
    focus = table.focus == seat
    parts = [
        f"<g><title>{escape(_spoken(seat, box, formats))}</title>",
        f'<rect x="{x - BOX_W // 2}" y="{y - BOX_ABOVE}" width="{BOX_W}" height="{BOX_H}" rx="14" '
        f'fill="{"#ffffff" if focus else "#000000"}" fill-opacity="{0.1 if focus else 0.1 if taken else 0.04}" '
        f'stroke="{ON_FELT if focus else FELT_LINE}" stroke-width="{2.500 if focus else 1}"/>',
        _text(left, y - 10, f"Seat {seat}", 13, ON_FELT if taken else ON_FELT_SOFT, weight=700),
    ]
    if box.mark:
        parts.append(_text(left + wide, y - 10, box.mark, 12.5, "#ffd9a0", "end", 700))
    elif box.cards and not box.in_play:
        parts.append(_text(left + wide, y - 10, "no wager", 12, ON_FELT_SOFT, "end"))
    elif box.lammers:
        parts.append(_text(left + wide, y - 10, "◆ Envy", 12, ON_FELT_SOFT, "end"))
    faint = box.mark == "hand void" or not box.in_play
    parts.append(f'<g opacity="{0.450 if faint else 1}">{_cards(left, y, box)}</g>')
    parts.append(_chips(left + 78, y - 2, box, formats))
    for i, (wager, how, cents) in enumerate(box.settled[-4:]):
        words = _outcome(wager, how, cents, formats)
        size = min(12.5, 12.5 * FITS / len(words))
        parts.append(_text(left, y + 130 + i * 13.6, words, size, ON_FELT, weight=600 if cents else 400))
    return "".join([*parts, "</g>"])


def _dealer(place: Layout, table: Table) -> str:
    box = table.box("dealer")
    if table.bank is not None:
        return _text(place.width / 2, 34, "House dealer", 13, ON_FELT_SOFT, "middle", 700)
    focus = table.focus == "dealer"
    x, y = place.width / 2, 44
    high, low = hand_width(len(box.high)), hand_width(len(box.low))
    parts = ["<g><title>Dealer</title>"]
    if focus:
        parts.append(
            f'<rect x="{x - 132}" y="{y - 30}" width="264" height="96" rx="14" fill="#ffffff" fill-opacity="0.1" '
            f'stroke="{ON_FELT}" stroke-width="2.500"/>'
        )
    parts.append(_text(x, y - 10, "Dealer", 13, ON_FELT, "middle", 700))
    if box.is_set:
        middle = hand_width(len(box.medium))
        gaps = 14 if not box.medium else 28
        left = x - (high + middle + low + gaps) / 2
        parts.append(hand(left, y, box.high))
        parts.append(hand(left + high + 14, y, box.medium) if box.medium else "")
        parts.append(hand(left + high + middle + gaps, y, box.low))
    else:
        parts.append(hand(x - hand_width(len(box.cards)) / 2, y, box.cards))
    return "".join([*parts, "</g>"])


STRIP_HEIGHT = CARD_H + 22


def hands_drawing(table: Table, positions: Sequence[Position], alt: str) -> str:
    """Return the hands of some positions in a row that wraps on a phone, as set or as dealt; empty without known cards."""
    drawn = []
    for position in positions:
        box = table.box(position)
        hands = [each for each in ((box.high, box.medium, box.low) if box.is_set else (box.cards,)) if each]
        if not hands:
            continue
        words, x = position_name(position) + (f" · {box.mark}" if box.mark else ""), 0.0
        parts = [_text(0, 14, words, 13, "currentColor", weight=700)]
        for cards in hands:
            parts.append(hand(x, 21, cards))
            x += hand_width(len(cards)) + 12
        wide = max(x, 8 * len(words))
        drawn.append(
            f'<svg viewBox="0 0 {wide:g} {STRIP_HEIGHT}" width="{wide:g}" style="max-width:100%" aria-hidden="true" '
            f'xmlns="http://www.w3.org/2000/svg" font-family="inherit">{"".join(parts)}</svg>'
        )
    return f'<div class="rk-hands" role="img" aria-label="{escape(alt)}">{"".join(drawn)}</div>' if drawn else ""


def _middle(place: Layout, table: Table) -> str:
    x, y = place.width / 2, place.middle_y
    parts = []
    if table.dice:
        colours = table.dice_colours or ["white"] * len(table.dice)
        for i, (value, color) in enumerate(zip(table.dice, colours, strict=False)):
            parts.append(die(x - 66 + i * 48, y, value, color, tilted=table.lie != "flat"))
    elif table.number is not None:
        parts.append(_text(x, y + 30, str(table.number), 30, ON_FELT, "middle", 700))
    notes = []
    if table.dice and table.lie != "flat":
        notes.append(table.lie.replace("_", " "))
    if table.total is not None:
        notes.append(f"total {table.total}")
    if table.start is not None:
        notes.append(f"first card to {position_name(table.start).lower()}")
    parts.append(_text(x, y + 60, " · ".join(notes), 14, ON_FELT, "middle", 600))
    below = []
    if table.no_more_bets:
        below.append("No more bets")
    if table.stub is not None:
        below.append(f"stub {table.stub}")
    if table.burnt:
        below.append("card burnt" if table.burnt == 1 else f"{table.burnt} cards burnt")
    if table.voided:
        below = [f"ROUND VOID: {table.voided.replace('_', ' ')}"]
    elif table.closed:
        below = ["Round closed"]
    parts.append(_text(x, y + 82, " · ".join(below), 13, ON_FELT_SOFT if not table.voided else "#ffd9a0", "middle", 600))
    if table.side is not None:
        parts.append(_text(x + place.side_x, 40, "side card", 12, ON_FELT_SOFT, "middle"))
        parts.append(card(x + place.side_x - 20, 48, None if table.side == "??" else table.side))
    if table.aside:
        parts.append(_text(x, y + 106, "set aside", 12, ON_FELT_SOFT, "middle"))
        parts.append(hand(x - hand_width(len(table.aside)) / 2, y + 112, table.aside))
    return "".join(parts)


def _legend(place: Layout, table: Table) -> str:
    seen = {wager for box in table.boxes.values() for wager in box.chips}
    shown = [wager for wager in CHIPS if wager in seen] + sorted(seen - CHIPS.keys())
    width = sum(37 + 6.600 * len(_short(wager)) for wager in shown)
    x, parts = place.width / 2 - width / 2, []
    for wager in shown:
        parts += [
            chip(x + CHIP_R, place.legend_y, wager),
            _text(x + 25, place.legend_y + 4.500, _short(wager), 12.500, ON_FELT_SOFT),
        ]
        x += 37 + 6.600 * len(_short(wager))
    return "".join(parts)


def _spoken(seat: Position, box: Box, formats: Formats) -> str:
    said = [f"Seat {seat}"]
    if box.is_set:
        for name, cards in (("high", box.high), ("medium", box.medium), ("low", box.low)):
            said += [f"{name} hand " + ", ".join(card_name(c) for c in cards)] if cards else []
    elif box.cards:
        said.append(", ".join(card_name(c) for c in box.cards))
    said += [f"{wager_name(wager)} {formats.money(cents)} at stake" for wager, cents in box.chips.items()]
    said += [_outcome(wager, how, cents, formats) for wager, how, cents in box.settled]
    return "; ".join(said if len(said) > 1 else [f"Seat {seat}, empty"])


def table_drawing(
    table: Table, formats: Formats, flags: Sequence[Flag] = (), alt: str = "The table", *, upright: bool = False
) -> str:
    """Return the whole table as one SVG. `flags` mark positions with findings; `alt` describes the picture."""
    place = layout(table, upright=upright)
    drawn = "".join(_seat(seat, place, table, formats) for seat in reversed(place.seats))
    return (
        f'<svg viewBox="0 0 {place.width} {place.height}" width="100%" role="img" aria-label="{escape(alt)}" '
        f'xmlns="http://www.w3.org/2000/svg" font-family="inherit"><title>{escape(alt)}</title>'
        f'<path d="{place.felt}" fill="{FELT}" stroke="{FELT_EDGE}" stroke-width="8" stroke-linejoin="round"/>'
        f"{_middle(place, table)}{_dealer(place, table)}{drawn}{_legend(place, table)}{_flags(flags, place)}</svg>"
    )
