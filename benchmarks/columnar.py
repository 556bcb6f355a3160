"""A round table of many rounds, made in columns: six patrons, every wager, rounds in order but for a few mispaid ones.

The mispaid rounds are real: they lie in a log (`full_tables.py`, one payment of each changed), and their rows are those that
`rack rounds` makes of it. The others are copies of the row of a real round with other cards: dealt at random, set by the house
way's kernel, settled by the settlement's. That screening upholds every one of them is checked while they are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from benchmarks import on_sqlite
from benchmarks.full_tables import full_tables
from events.log.contract import EventLog
from events.open import open_log
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from games.house_ways.house_way import HouseWay
from games.kernels.compiling import compiled
from games.kernels.house_way import front, way_of
from replay.columns.games.face_up_pai_gow import SCHEMA
from replay.columns.kernels.screening_result import UPHELD, WINS
from replay.columns.round_table import GROUP, RoundTable, build, put_rounds
from replay.columns.row_schemas import REST, TEXTS, arrow_schema, numbers_of
from replay.columns.screening import Screen, as_column, result_of, rulebook_in

Array = npt.NDArray[Any]

VARIANCES = 1_000
"""Mispaid rounds in the log; in a larger table their rows come again."""
ONE_IN = 1_000
CHANGED_EVERY = 100
"""Rounds after which deck and dice are changed."""
SEED = 7


def mispaid_log(folder: Path) -> EventLog:
    """Return a log of rounds in which one payment each is wrong, the first two apart."""
    groups = []
    for at, (stream, drafts) in enumerate(full_tables(VARIANCES + 2, tables=1, seed=SEED)):
        covered = [_covering_the_setting(draft) for draft in (drafts if at < 2 else _mispaid(drafts))]
        opening = 1 if at == 0 else 0  # after the gaming day
        groups.append((stream, [*covered[:opening], *_equipment(at, covered[opening]), *covered[opening:]]))
    log = open_log(on_sqlite.address(folder / "mispaid.db"), create=True, property_id="bench")
    on_sqlite.append(log, on_sqlite.batched(groups, on_sqlite.COMMIT_EVENTS))
    return log


def _covering_the_setting(draft: Draft) -> Draft:
    if not isinstance(draft.payload, model.RoundOpened):
        return draft
    opened = msgspec.structs.replace(draft.payload, observed=[*draft.payload.observed, "setting"])
    return msgspec.structs.replace(draft, payload=opened)


def _equipment(at: int, before: Draft) -> list[Draft]:
    """A deck and dice that come to the table, as often as they must be changed, before a draft."""
    if at % CHANGED_EVERY:
        return []
    payloads = [
        model.DeckReceived(deck="d-1", back_colour="blue", jokers=1, preshuffled=False),
        model.DeckInPlay(deck="d-1"),
        model.DiceReceived(dice_set="dice-1"),
    ]
    return [
        Draft(
            event_id=f"{at:024x}{number:08x}",
            source="pit",
            source_seq=at // CHANGED_EVERY * 2 + number + 1,
            occurred_at_us=before.occurred_at_us,
            round_no=None,
            payload=payload,
        )
        for number, payload in enumerate(payloads[0 if at == 0 else 1 :], 0 if at == 0 else 1)
    ]


def _mispaid(drafts: list[Draft]) -> list[Draft]:
    """The round with a dollar more taken, or paid, at its first settlement."""
    made = list(drafts)
    for at, draft in enumerate(made):
        match draft.payload:
            case model.WagerTaken(amount_cents=cents):
                wrong: Any = msgspec.structs.replace(draft.payload, amount_cents=cents + 100)
            case model.WagerPaid(winnings_cents=cents):
                wrong = msgspec.structs.replace(draft.payload, winnings_cents=cents + 100)
            case _:
                continue
        made[at] = msgspec.structs.replace(draft, payload=wrong)
        break
    return made


def make(log: EventLog, folder: Path, rounds: int) -> RoundTable:
    """Put a table of so many rounds in a folder: one in a thousand of the log, the others generated."""
    build(log, folder)
    table = RoundTable(folder)
    (path,) = table.paths()
    real = pa.parquet.read_table(path).combine_chunks().to_batches()[0]
    rng = np.random.default_rng(SEED)
    place = f"{log.property_id}/face_up_pai_gow/generated"
    put_rounds(folder, place, _batches(table, real, rounds, rng))
    return RoundTable(folder)


def _batches(
    table: RoundTable, real: pa.RecordBatch, rounds: int, rng: np.random.Generator
) -> Iterator[pa.RecordBatch]:
    screen = Screen(table.rules())
    said = result_of(screen.judge(real))
    (upheld,) = np.nonzero(said.check == UPHELD)
    (mispaid,) = np.nonzero((said.check != UPHELD) & (numbers_of(real, "until_seq") > 0))
    template, made, wrong = real.slice(int(upheld[-1]), 1), 0, 0
    while made < rounds:
        size = min(GROUP, rounds - made)
        differ = (made + size) // ONE_IN - made // ONE_IN
        plain = generated(template, screen, size - differ, made, rng)
        chosen = mispaid[np.arange(wrong, wrong + differ) % len(mispaid)]
        together = pa.Table.from_batches([plain, real.take(pa.array(chosen))]).take(pa.array(rng.permutation(size)))
        yield together.combine_chunks().to_batches()[0]
        made, wrong = made + size, wrong + differ


def generated(
    template: pa.RecordBatch, screen: Screen, size: int, first: int, rng: np.random.Generator
) -> pa.RecordBatch:
    """Return rounds like the one in `template` (a row) with other cards, numbered from `first`."""
    (text,) = screen.rules.values()
    book = rulebook_in(text)
    assert isinstance(book.way, HouseWay)
    kinds = {name: kind for name, (kind, _) in SCHEMA.all_arrays.items()}
    columns: dict[str, Any] = {
        name: np.repeat(numbers_of(template, name, kinds.get(name)), size, axis=0)
        for name in template.schema.names
        if name not in (*TEXTS, REST)
    }
    columns["round_no"] += first + np.arange(size)
    cards = rng.permuted(np.tile(np.arange(53, dtype=np.uint8), (size, 1)), axis=1)[:, :49].copy()
    columns["dealt"], columns["hands"] = cards, cards.copy()
    _set(columns["hands"], *way_of(book.way))
    judged = result_of(screen.judge(_batch(template, columns, size)))  # to learn what is due: what was done is that
    columns["net"] = judged.due.astype(np.int32)
    columns["envy_to"], columns["envy_cents"] = (
        judged.envy_to,
        (judged.envy_due * (judged.envy_to > 0)).astype(np.int32),
    )
    columns["acknowledged"] = ((judged.envy[:, :6] > 0) << np.arange(6)).sum(axis=1).astype(np.uint8)
    won = judged.ends[:, 3::4] == WINS
    for name, moment in (("lit", 1), ("validated", 2), ("progressive_paid", 3)):
        columns[name] = np.where(won, columns["base_moved"] + moment, -1).astype(np.int16)
    batch = _batch(template, columns, size)
    (right,) = np.nonzero(result_of(screen.judge(batch)).check == UPHELD)
    # Rounds that win a share of the meter are not.
    assert len(right) > size - 20, f"{size - len(right)} of {size} generated rounds were not upheld"
    return batch.take(pa.array(np.resize(right, size)))


def _batch(template: pa.RecordBatch, columns: dict[str, Any], size: int) -> pa.RecordBatch:
    arrays = []
    for field in arrow_schema(SCHEMA):
        if field.name in columns:
            arrays.append(as_column(columns[field.name]))
        else:
            arrays.append(pa.array([template.column(field.name)[0].as_py()] * size, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(SCHEMA))


@compiled
def _set(hands: Array, rows: Array, plays: Array, lowest: bool) -> None:
    """Set every seven cards by the house way: five behind, two in front."""
    for i in range(hands.shape[0]):
        for position in range(7):
            cards = hands[i, 7 * position : 7 * position + 7]
            a, b = front(cards, rows, plays, lowest)
            two = (cards[a], cards[b])
            at = 0
            for card in range(7):
                if card not in (a, b):
                    cards[at] = cards[card]
                    at += 1
            cards[5], cards[6] = two
