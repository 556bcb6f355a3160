"""The games whose rounds are judged in columns: one record each (`game_columns.GameColumns`).

The law of this file: nothing else in this room asks which game it is. A game without a record here is judged by event replay,
with the same verdicts. A new game is one file in `games`, one kernel in `kernels`, and one entry here; a game that lives
outside the project is added with `with_game`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from replay.columns.game_columns import GameColumns
from replay.columns.games import dj_wild, face_up_pai_gow, fortune_asia, over_under, pai_gow_poker, player_dealer
from replay.columns.row_schemas import RowSchema

_GAMES: dict[str, GameColumns] = {
    game.name: game
    for game in (
        face_up_pai_gow.COLUMNS,
        player_dealer.COLUMNS,
        pai_gow_poker.COLUMNS,
        dj_wild.COLUMNS,
        fortune_asia.COLUMNS,
        over_under.COLUMNS,
    )
}


def games_in_columns() -> tuple[GameColumns, ...]:
    """Return the record of every game whose rounds are judged in columns."""
    return tuple(_GAMES.values())


def columns_of(game: str) -> GameColumns | None:
    """Return the record of a game by its name, null where its rounds are judged by event replay only."""
    return _GAMES.get(game)


def schema_of(game: str) -> RowSchema:
    """Return the row schema of a game. Rows of a game without a record are never screened; they take the smallest schema."""
    return _GAMES.get(game, face_up_pai_gow.COLUMNS).schema


@contextmanager
def with_game(game: GameColumns) -> Iterator[None]:
    """Judge a further game in columns while the context lasts, in this process. Raises `ValueError` where the name is taken."""
    if game.name in _GAMES:
        raise ValueError(f"{game.name} is in the catalogue of columns already; give the further game a name of its own")
    _GAMES[game.name] = game
    try:
        yield
    finally:
        del _GAMES[game.name]
