"""Marts of devices made straight from chance: dice that may be worn, shufflers that may be poor."""

from collections import Counter

import numpy as np
import polars as pl

from analytics.warehouse.warehouse import Warehouse
from rulebook.settlement.pai_gow import starting_position
from tests.analytics import synthetic

TEXT = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"] + ["Jk"]
POSITIONS = ["dealer", "1", "2", "3", "4", "5", "6"]
WHERE = {"game": "face_up_pai_gow", "gaming_month": synthetic.FIRST_DAY}


def floor(
    seed: int,
    *,
    tables: int = 4,
    rounds: int = 400,
    worn: dict[str, float] | None = None,
    top: float = 0.0,
    sticky: float = 0.0,
    follows: float = 0.0,
) -> Warehouse:
    """Tables with three colored dice and a deck each.

    `worn`: table → chance that the red die shows a six instead; `top`: chance that the joker goes to the dealer first; `sticky`:
    chance that a round is dealt as the one before; `follows`: chance that a roll repeats the one before.
    """
    random = np.random.default_rng(seed)
    faces: Counter[tuple[str, str, int]] = Counter()
    totals: Counter[tuple[str, int]] = Counter()
    lags: Counter[str] = Counter()
    starts: Counter[tuple[str, str]] = Counter()
    cards: Counter[tuple[str, str, str]] = Counter()
    hands: Counter[tuple[str, str, str, bool]] = Counter()
    repeats: Counter[tuple[str, str]] = Counter()
    for table in (f"fu-{n:02d}" for n in range(tables)):
        before_dice, before = None, None
        for _ in range(rounds):
            dice = random.integers(1, 7, 3)
            if random.random() < (worn or {}).get(table, 0.0):
                dice[0] = 6
            if before_dice is not None and random.random() < follows:
                dice = before_dice
            deck = random.permutation(53)
            if random.random() < top:
                at = int(np.flatnonzero(deck == 52)[0])
                deck[[0, at]] = deck[[at, 0]]
            if before is not None and random.random() < sticky:
                deck = before
            for color, face in zip(("red", "white", "blue"), dice, strict=True):
                faces[table, color, int(face)] += 1
            total = int(dice.sum())
            totals[table, total] += 1
            if before_dice is not None:
                lags[table] += (2 * total - 21) * (2 * int(before_dice.sum()) - 21)
            starts[table, str(starting_position(total))] += 1
            for place, position in enumerate(POSITIONS):
                held = deck[7 * place : 7 * place + 7]
                for card in held:
                    cards[table, position, TEXT[card]] += 1
                counts = sorted(Counter(card // 4 for card in held if card < 52).values(), reverse=True)
                hands[table, position, "+".join(map(str, counts)), 52 in held] += 1
                if before is not None:
                    repeats[table, position] += len(set(held) & set(before[7 * place : 7 * place + 7]))
            before_dice, before = dice, deck
    dice_of = {"dice_set": "dice-1"}
    deck_of = {"deck": "deck-1", "method": "automated"}
    return synthetic.warehouse(
        mart_faces=_rows([{**_of(t), **dice_of, "die": die, "face": face, "rolls": n} for (t, die, face), n in faces.items()]),
        mart_totals=_rows(
            [
                {
                    **_of(t),
                    **dice_of,
                    "total": total,
                    "rolls": n,
                    "pairs": (rounds - 1) * (total == 10),
                    "lag_products": lags[t] * (total == 10),
                }
                for (t, total), n in totals.items()
            ]
        ),
        mart_starts=_rows([{**_of(t), "kind": "start", "value": value, "rounds": n} for (t, value), n in starts.items()]),
        mart_cards=_rows(
            [
                {**_of(t), "method": "automated", "position": p, "cards": 7, "card": card, "times": n}
                for (t, p, card), n in cards.items()
            ]
        ),
        mart_hands=_rows(
            [
                {**_of(t), **deck_of, "position": p, "cards": 7, "pattern": pattern, "joker": joker, "hands": n}
                for (t, p, pattern, joker), n in hands.items()
            ]
        ),
        mart_repeats=_rows(
            [
                {**_of(t), **deck_of, "position": p, "cards": 7, "pairs": rounds - 1, "repeated": n}
                for (t, p), n in repeats.items()
            ]
        ),
    )


def _of(table: str) -> dict[str, object]:
    return {"stream": f"table/{table}", "table_id": table, **WHERE}


def _rows(rows: list[dict[str, object]]) -> pl.DataFrame:
    return pl.DataFrame(rows)
