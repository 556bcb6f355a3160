"""A wager's name is fixed by its form alone; which names there are, the chapters say, and intake refuses any other (D881)."""

import msgspec
import pytest

from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.base import WagerName
from rulebook.catalogue import wager_names
from tests.intake.test_office_filing import STREAM, hand_in, office

BEFORE = (
    "base", "ace_high_bonus", "fortune_bonus", "progressive", "tiger_9", "sum", "match", "beat_it", "insurance",
    "ante", "bonus", "over", "under", "blind", "raise", "trips", "bad_beat", "mystery", "backline",
)  # fmt: skip
"""The names of the closed list that there was: part of stored bytes."""


def placed(wager: str) -> model.WagerPlaced:
    return model.WagerPlaced(amount_cents=500, bettor="p-1", form="chips", number=None, seat=3, wager=wager)


def test_every_name_of_the_old_list_is_a_wager_of_a_game() -> None:
    assert set(BEFORE) <= {name for names in wager_names().values() for name in names}
    for name in BEFORE:
        assert msgspec.convert(name, WagerName) == name


@pytest.mark.parametrize("wager", ["base", "over", "backline"])
def test_a_wager_of_any_game_is_taken_for_the_rules_in_force_judge_it(log: SqliteLog, wager: str) -> None:
    office(
        log,
        STREAM,
        model.GamingDayOpened(gaming_day="2026-03-01"),
        model.TableOpened(deal_method="hand", game="face_up_pai_gow", seats=6, shuffler="none"),
    )
    assert [str(each.reason) for each in hand_in(log, placed(wager)).refused] == []


@pytest.mark.parametrize("wager", ["pear_plus", "fortune_envy", "bas"])
def test_a_wager_of_no_game_is_refused_with_those_of_the_game(log: SqliteLog, wager: str) -> None:
    office(
        log,
        STREAM,
        model.GamingDayOpened(gaming_day="2026-03-01"),
        model.TableOpened(deal_method="hand", game="dj_wild", seats=6, shuffler="none"),
    )
    (refused,) = hand_in(log, placed(wager)).refused
    expected = "dj_wild has ante, blind, raise, progressive, trips, bad_beat"
    assert refused.reason == f"wager_placed: there is no wager {wager!r}; {expected}"
    kinds = [each.data for each in log.read(STREAM)]
    assert b'"intake_refused"' in kinds[-1]
