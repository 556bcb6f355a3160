"""The forms of rows: which wagers each screened game has, and what its rows hold beside what all rows do.

The law of this file: it names and shapes, as `row_schemas.py` does. A game that is screened has its form here, its filling of
a plain row in `plain_games.FILLS`, its kernel in `screening.KERNELS` and its words in `upheld.SAID_OF`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from replay.columns.row_schemas import NO_CARD, SEATS, RowSchema, Slot

POSITIONS: Final = SEATS + 1

START: Final[Mapping[str, tuple[type[np.generic], int]]] = {
    "dice_us": (np.int64, -1),
    "rolled_us": (np.int64, -1),
    "drawn": (np.uint8, 0),
    "start_count": (np.uint8, 0),
    "announced_total": (np.int16, -1),
    "shakes": (np.int16, 0),
    "shaken_after": (np.uint8, 0),
}
"""How the position of the first card was found: by dice or by a number `drawn`."""

SEVENS: Final[Mapping[str, tuple[type[np.generic], int, int]]] = {
    "dealt": (np.uint8, 7 * POSITIONS, NO_CARD),
    "hands": (np.uint8, 7 * POSITIONS, NO_CARD),
    "dealt_to": (np.uint8, POSITIONS, 0),
}
"""`dealt` has each position's seven cards in the order dealt, `hands` as set, the largest hand first; `dealt_to` the positions
in the order of the deal."""


def _slots(*wagers: str) -> tuple[Slot, ...]:
    return tuple(Slot(wager) for wager in wagers)


FACE_UP: Final = RowSchema(
    slots=_slots("base", "ace_high_bonus", "fortune_bonus", "progressive"),
    follows=frozenset({"ace_high_bonus", "fortune_bonus", "progressive"}),
    numbers=START,
    arrays=SEVENS,
)

BEHIND: Final = 3
"""So many patrons who bet behind a seat have room in a row."""
OFFERS: Final = 14
"""So many offers of the player-dealer position have room in a row."""

PLAYER_DEALER: Final = RowSchema(
    slots=_slots("base", "ace_high_bonus", "fortune_bonus", *["backline"] * BEHIND),
    follows=frozenset(),
    numbers={
        "start_count": (np.uint8, 0),
        "bank": (np.uint8, 0),
        "bank_cents": (np.int32, -1),
        "button": (np.uint8, 0),
        "held_seat": (np.uint8, 0),
        "held_rounds": (np.uint8, 0),
        "held_by_same": (np.uint8, 0),
        "to_ask": (np.uint8, 0),
        "accepted_by": (np.uint8, 0),
        "picked": (np.uint8, 0),
    },
    arrays={
        **SEVENS,
        "offers": (np.uint8, OFFERS, 0),
        "piles": (np.uint8, 7 * POSITIONS, NO_CARD),
        "pile_turns": (np.uint8, 7 * POSITIONS, 0),
        "fees": (np.int32, POSITIONS, 0),
        "fees_behind": (np.int32, BEHIND * POSITIONS, 0),
        "moved_from": (np.int16, 5 * POSITIONS, -1),
        "moved_to": (np.int16, 5 * POSITIONS, -1),
    },
    seats=POSITIONS,
    lists=("behind",),
)
"""`bank` is the player-dealer's seat and `bank_cents` its wager, `button` where the action button lies; `held_…` the seat that
had the position before, for how many rounds, and whether of the same patron; `to_ask` the seats that had to be asked, `offers`
those that were, in order, `accepted_by` the first that accepted. `piles` has the cards dealt to piles and `pile_turns` to which,
in the order dealt; `picked` the pile that was given out first. `fees` were taken of the player or player-dealer of a seat,
`fees_behind` of those behind it; `behind` names them, all places or none. `moved_…`: the first and last moments at which a
seat's wagers were taken or paid, of each kind as they stand in `replay.rules.player_dealer.IN_TURN`.
"""
FIRST_BEHIND: Final = len(PLAYER_DEALER.slots) - BEHIND
"""The first of the places of a seat for those who bet behind it."""

PAI_GOW_POKER: Final = RowSchema(
    slots=(
        *_slots("base", "tiger_9", "fortune_bonus", "progressive", "sum", "beat_it"),
        *(Slot("match", number) for number in range(1, 7)),
    ),
    follows=frozenset({"fortune_bonus", "progressive"}),
    numbers={
        **START,
        "dice": (np.int16, -1),
        "red": (np.uint8, 0),
        "electronic": (np.uint8, 0),
        "shake_ms": (np.int64, 0),
        "shaken_open": (np.uint8, 0),
        "activated": (np.uint8, 0),
        "seated": (np.uint8, 0),
        "mystery_before": (np.int64, -1),
    },
    arrays={
        **SEVENS,
        "own_moved": (np.int16, SEATS, -1),
        "mystery_at": (np.uint8, SEATS, 0),
        "mystery_cents": (np.int32, SEATS, 0),
        "mystery_readings": (np.int64, SEATS, 0),
    },
)
"""`dice` is which of the 216 ways they lay (-1: none read), `red` the place of the red die from 1 where two are blue (0: no
colours, 4: other colours); `electronic`, `shake_ms`, `shaken_open`: whether a machine shook the dice, how long, and whether the
shaker stood open; `activated` the seat that activated it; `seated` the seats that are taken; `own_moved` of Tiger 9;
`mystery_…` what the Must-Hit-By meter accepted, as `accepted_…`.
"""

DJ_WILD: Final = RowSchema(
    slots=_slots("ante", "blind", "raise", "progressive", "trips", "bad_beat"),
    follows=frozenset(),
    numbers={
        "side": (np.uint8, NO_CARD),
        "counted": (np.uint8, 0),
        "uncounted": (np.uint8, 0),
        "hand_shuffled": (np.uint8, 0),
        "folded": (np.uint8, 0),
        "last_raise": (np.int16, -1),
    },
    arrays={
        "dealt": (np.uint8, 5 * POSITIONS, NO_CARD),
        "dealt_to": (np.uint8, POSITIONS, NO_CARD),
        "decided": (np.int16, SEATS, -1),
        "settled_from": (np.int16, SEATS, -1),
        "settled_to": (np.int16, SEATS, -1),
        "base_to": (np.int16, SEATS, -1),
        "others_from": (np.int16, SEATS, -1),
        "optional_from": (np.int16, 3 * SEATS, -1),
        "hand_gone": (np.int16, SEATS, -1),
    },
)
"""`dealt` has each position's five cards, `dealt_to` the positions in the order of the stacks; `side` the side card; `counted`
how many cards the shuffler counted last (0: none), `uncounted` the rounds in a row in which nobody counted any; `folded` the
seats that folded. Of each seat the moments of its decision (`decided`), of the first and last settlement of its wagers, of the
last of ante, blind and raise, of the first of the others (`optional_from`: of Progressive, Trips and Bad Beat each), and of
collecting its cards (`hand_gone`).
"""

FORTUNE_ASIA: Final = RowSchema(
    slots=_slots("base", "insurance", "fortune_bonus", "progressive"),
    follows=frozenset({"insurance", "fortune_bonus", "progressive"}),
    numbers=START,
    arrays=SEVENS,
)

SHUFFLERS: Final = ("", "none", "automated", "automated_counting", "continuous")
"""Shufflers by number; 0: not on record."""

OVER_UNDER: Final = RowSchema(
    slots=_slots("ante", "over", "under", "bonus"),
    follows=frozenset(),
    numbers={
        "shuffler": (np.uint8, 0),
        "begun": (np.int64, 0),
        "last_dealt": (np.int64, 0),
        "newcomer": (np.int64, 0),
        "burnt_at": (np.int64, 0),
        "burns": (np.int16, 0),
        "just_opened": (np.uint8, 0),
        "cut_at": (np.int64, 0),
        "cover_put_at": (np.int64, 0),
        "cover_depth": (np.int16, -1),
        "cover_from_top": (np.uint8, 0),
        "cover_passed": (np.uint8, 0),
        "cover_at": (np.uint8, 0),
        "cover_known": (np.uint8, 0),
    },
    arrays={
        "dealt": (np.uint8, 3 * SEATS, NO_CARD),
        "gone": (np.uint8, 52, 0),
        "first_at": (np.int16, SEATS, -1),
        "further_from": (np.int16, SEATS, -1),
        "further_to": (np.int16, SEATS, -1),
        "decided": (np.int16, SEATS, -1),
        "said": (np.uint8, SEATS, 0),
        "surrendered": (np.int16, SEATS, -1),
        "side_to": (np.int16, SEATS, -1),
        "settled_from": (np.int16, SEATS, -1),
        "settled_to": (np.int16, SEATS, -1),
    },
)
"""Of the shoe, as numbers of events in the stream (0: none): what began it where this round does (`begun`), the last card dealt
before the round (`last_dealt`), a dealer who came and has not dealt (`newcomer`), the last card burnt before the first one
dealt (`burnt_at`), the cut (`cut_at`), the cover card put into cards not dealt yet (`cover_put_at`, so deep). `shuffler` is the
one that the table was opened with (`SHUFFLERS`); `burns` how many cards were burnt
in the round; `cover_passed`: the cover card came before the round, and nobody shuffled since; `cover_at` where it came in the
last round (a seat, 7: elsewhere, 0: not), as far as that is on record (`cover_known`). `gone` is how many copies of each card
certainly left the shoe before.

`dealt` has each seat's three cards; of each seat the moments of its first card, of its first and last additional card, of its
decision, of its surrender, of its last wager on over or under (`side_to`), and of the first and last settlement of its wagers
in turn (not of a surrendered ante, nor of what put a settlement right). `said` 1 over, 2 under.
"""

ROW_SCHEMAS: Final[Mapping[str, RowSchema]] = {
    "face_up_pai_gow": FACE_UP,
    "player_dealer": PLAYER_DEALER,
    "pai_gow_poker": PAI_GOW_POKER,
    "dj_wild": DJ_WILD,
    "fortune_asia": FORTUNE_ASIA,
    "over_under": OVER_UNDER,
}


def form_of(game: str) -> RowSchema:
    """Return the form of a game's rows; of one that is not screened, whose rows are all aside, the plainest."""
    return ROW_SCHEMAS.get(game, FACE_UP)
