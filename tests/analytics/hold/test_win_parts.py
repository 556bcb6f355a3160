"""A table's day in parts: whatever was played, paid and counted, the parts sum to the whole, and each says what it is."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from itertools import combinations_with_replacement
from pathlib import Path
from random import Random
from typing import get_args

import pytest
from msgspec.structs import replace

from analytics.hold.hold import hold_by_table_day
from analytics.hold.win_parts import incidents_of, parts_of_win
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from replay.findings import LedgerEntry, LedgerKind
from tests.analytics.counts import OPENED, WIN, entry, month, opened_for
from tests.analytics.synthetic import CHAPTER
from tests.dashboards import sample

TABLES, DAYS = ("fu-01", "fu-02"), ("2026-03-04", "2026-03-05", "2026-03-06")
BONUS = "ace_high_bonus"
WAGERS = ("base", "ace_high_bonus", "fortune_bonus", "unheard_of")


@contextmanager
def floor(path: Path, rounds: list[sample.Adjudication], ledger: list[LedgerEntry]) -> Iterator[Warehouse]:
    games = [opened_for(table, "face_up_pai_gow") for table in TABLES]
    build(path, rounds, ledger, table_events=games, facts=sample.FACTS)
    with reading(path) as db:
        yield db


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_the_parts_sum_to_the_whole_of_any_table_days(tmp_path: Path, seed: int) -> None:
    """Anything may be due, done, undetermined, unsettled, by slip, of a wager that theory does not know, or not counted."""
    rng, number = Random(seed), 0
    rounds, ledger = [], []
    for table in TABLES:
        for place, day in enumerate(DAYS):
            for _ in range(rng.randrange(0, 6)):
                number += 1
                made = [
                    sample.settlement(
                        seat, wager, staked := rng.randrange(100, 5_000),
                        rng.choice([None, -staked, rng.randrange(0, 9_000)]),
                        rng.choice([None, -staked, rng.randrange(0, 9_000)]),
                        paytable=rng.choice(["", "1"]), slip=rng.choice([0, 0, 500]),
                    )
                    for seat, wager in enumerate(rng.sample(WAGERS, rng.randrange(1, 4)), 1)
                ]  # fmt: skip
                rounds.append(sample.adjudication(f"table/{table}", number, made, day=day))
            ledger += [
                entry(table, 100 * place + at, day, kind, rng.randrange(0, 900_000), f"{kind}-{at}")
                for at, kind in enumerate(get_args(LedgerKind))
                if rng.random() < 0.85
            ]
    with floor(tmp_path / "w", rounds, ledger) as db:
        days = hold_by_table_day(db)
        for table in (None, *TABLES):
            for first, last in combinations_with_replacement(map(date.fromisoformat, DAYS), 2):
                found = parts_of_win(db, Selection(table=table, first=first, last=last))
                of = [
                    each
                    for each in days.iter_rows(named=True)
                    if table in (None, each["table_id"]) and first <= each["gaming_day"] <= last
                ]
                if not of:
                    assert found.is_empty()
                    continue
                wins = [each["win_cents"] for each in of if each["win_cents"] is not None]
                house = [each["house_win_cents"] or 0 for each in of]
                whole = found.filter(found["part"] == "whole")["cents"].item()
                assert whole == (sum(wins) if wins else sum(house))
                assert found.filter(found["part"] != "whole")["cents"].sum() == whole


def test_what_was_paid_wrong_is_told_from_luck_and_named_by_incident(tmp_path: Path) -> None:
    """$25.00 lost and taken twice; once $10.00 more than due was paid, and once $5.00 less: errors, not luck."""
    made = [
        sample.adjudication("table/fu-01", 1, [sample.settlement(1, BONUS, 2_500, -2_500, -2_500, paytable="1")], day=DAYS[0]),
        sample.adjudication(
            "table/fu-01", 2, [sample.settlement(1, BONUS, 2_500, 2_500, 3_500, paytable="1")],
            [sample.finding("table/fu-01", 2, "PAY-OVER", 1, "base", 1_000, "$25.00", "$35.00")], day=DAYS[0],
        ),
        sample.adjudication("table/fu-01", 3, [sample.settlement(1, BONUS, 2_500, 2_500, 2_000, paytable="1")], day=DAYS[0]),
    ]  # fmt: skip
    of = Selection(table="fu-01", first=date(2026, 3, 4), last=date(2026, 3, 4))
    made = [replace(each, chapter=CHAPTER) for each in made]
    with floor(tmp_path / "w", made, []) as db:
        found = parts_of_win(db, of)
        parts = dict(zip(found["part"], found["cents"], strict=True))
        assert (parts["overpaid"], parts["underpaid"], parts["whole"]) == (-1_000, 500, 2_500 - 3_500 - 2_000)
        assert parts["base"] + parts["volume"] + parts["edge"] + parts["luck"] == -2_500  # as due: one lost, two won
        assert "other" not in parts
        assert 0 < found.filter(found["part"] == "luck")["probability"].item() <= 1
        assert found["title"][-1] == "House win of the wagers: not fully counted"
        (incident,) = incidents_of(db, of).iter_rows(named=True)
        assert (incident["round_no"], incident["overpaid_cents"], incident["underpaid_cents"]) == (2, 1_000, 0)


@pytest.mark.parametrize("with_base", [False, True])
def test_one_rare_hit_is_not_called_less_likely_than_it_is(tmp_path: Path, with_base: bool) -> None:
    """Five aces pay 250 to 1 on one of 30 Fortune Bonuses of $5.00; 1,428 of 154,143,080 hands pay that or more."""
    rounds = [
        sample.adjudication(
            "table/fu-01", number,
            [
                sample.settlement(1, "fortune_bonus", 500, paid := -500 if number else 125_000, paid, paytable="1"),
                *([sample.settlement(1, "base", 1_000, won := (-1) ** number * 1_000, won)] if with_base else []),
            ],
            day=DAYS[0],
        )
        for number in range(30)
    ]  # fmt: skip
    with floor(tmp_path / "w", [replace(each, chapter=CHAPTER) for each in rounds], []) as db:
        found = parts_of_win(db, Selection(table="fu-01"))
    chance = 1 - (1 - 1_428 / 154_143_080) ** 30
    shown = found.filter(found["part"] == "luck")["probability"].item()
    assert chance * 0.999 <= shown <= (0.003 if with_base else chance * 1.01)


def test_a_house_that_counts_only_has_its_win_in_one_part(tmp_path: Path) -> None:
    with floor(tmp_path / "w", [], month("fu-01", ["2026-03-04"])) as db:
        found = parts_of_win(db, Selection(table="fu-01"))
        parts = dict(zip(found["part"], found["cents"], strict=True))
    assert parts["no_wagers"] == parts["whole"] == WIN != OPENED
