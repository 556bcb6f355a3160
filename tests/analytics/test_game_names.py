"""What people call games and wagers."""

from __future__ import annotations

import pytest

from analytics.game_names import game_title, wager_title


@pytest.mark.parametrize(
    ("game", "title"),
    [
        ("face_up_pai_gow", "Face Up Pai Gow Poker"),
        ("pai_gow_poker", "Pai Gow Poker"),
        ("fortune_asia", "Fortune Asia Poker"),
        ("over_under", "Over/Under"),
        ("dj_wild", "DJ Wild Stud Poker"),
        ("player_dealer", "Face Up Pai Gow Poker (California)"),
        ("roulette", None),
    ],
)
def test_games(game: str, title: str | None) -> None:
    assert game_title(game) == title


@pytest.mark.parametrize(
    ("wager", "title"),
    [
        ("base", "Base wager"),
        ("ante", "Ante"),
        ("ante_blind_raise", "Ante, Blind and Raise"),
        ("over", "Over 23"),
        ("mystery", "Must-Hit-By bonus"),
        ("fortune_envy", "Fortune Envy"),
        ("no_such_wager", None),
    ],
)
def test_wagers(wager: str, title: str | None) -> None:
    assert wager_title(wager) == title
