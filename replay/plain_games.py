"""Which games are screened, and what fills the rows of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.rulebook import Rulebook
from replay import plain_dj_wild, plain_over_under, plain_player_dealer, plain_sevens
from replay.plain_rounds import Fill, Row
from replay.rounds import Round

FILLS: Final[Mapping[str, Fill]] = {
    "face_up_pai_gow": plain_sevens.face_up,
    "player_dealer": plain_player_dealer.player_dealer,
    "pai_gow_poker": plain_sevens.pai_gow_poker,
    "dj_wild": plain_dj_wild.dj_wild,
    "fortune_asia": plain_sevens.fortune_asia,
    "over_under": plain_over_under.over_under,
}


def fill_row(row: Row, round_: Round, book: Rulebook) -> None:
    """Write a plain round of a game that is screened into an empty row. Raises `Aside` where the round is not plain."""
    FILLS[book.game](row, round_, book)
