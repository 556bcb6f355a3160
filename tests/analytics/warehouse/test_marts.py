"""What is added up beforehand is what the base facts come to: floors at random, each sum made again from rounds and wagers."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from analytics import integrity, live, rules
from analytics.hold import figure_detail
from analytics.warehouse import floor_data
from analytics.warehouse.loading import RoundEvents, TableEvent
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from replay.findings import Adjudication, Settlement, Verdict
from tests.dashboards.sample import EVENING, FACTS, SECOND, adjudication, settlement

TABLES, DAYS = ("a", "b", "c"), ("2026-03-05", "2026-03-06", "2026-03-07", "2026-04-01")
WAGERS = (("base", ""), ("fortune_bonus", "12"), ("ace_high_bonus", "13"))
"""With their paytables at the first tables and at the last: at one table a wager has one."""
VERDICTS: tuple[Verdict, ...] = ("UPHELD", "UPHELD", "VARIANCE", "VOID", "UNDETERMINED")


def _settlements(dice: random.Random, table: str) -> list[Settlement]:
    made = []
    for seat in dice.sample(range(1, 7), dice.randint(0, 3)):
        wager, paytables = dice.choice(WAGERS)
        paytable = paytables[-1 if table == TABLES[-1] else 0 :][:1]
        staked = 500 * dice.randint(1, 9)
        done = dice.choice((-staked, -staked, 0, staked, 3 * staked, None))
        line = "void" if done == 0 and dice.random() < 0.5 else "line"
        made.append(settlement(seat, wager, staked, done, done, line, paytable=paytable))
    return made


def _floor(seed: int) -> tuple[list[Adjudication], list[RoundEvents]]:
    dice = random.Random(seed)
    rounds, events = [], []
    for table in TABLES:
        number = 0
        for at, day in enumerate(DAYS):
            opened = EVENING + at * 86_400 * SECOND
            for _ in range(dice.randint(0 if at else 1, 7)):
                number, opened = number + 1, opened + dice.randint(100, 900) * SECOND
                rounds.append(
                    adjudication(
                        f"table/{table}",
                        number,
                        _settlements(dice, table),
                        day=day,
                        opened=opened,
                        lasts=dice.randint(20, 90),
                        dealer=f"d-{dice.randint(1, 3)}",
                        verdict=dice.choice(VERDICTS),
                        first_seq=number * 80,
                    )
                )
                events.append(
                    RoundEvents(
                        stream=f"table/{table}",
                        round_no=number,
                        events=[
                            {
                                "seq": number * 80 + place,
                                "event_id": "e",
                                "payload": json.dumps({"device": dice.choice(("shoe", "shuffler"))}),
                                "hash": "00",
                                "type": dice.choice(("hand_set", "device_failed", "device_restored")),
                                "source": dice.choice(("shoe", "camera", "desk")),
                                "occurred_at_us": opened + dice.randint(-5, 120) * SECOND,
                            }
                            for place in range(dice.randint(0, 4))
                        ],
                    )
                )
    return rounds, events


@pytest.fixture(scope="module", params=[1, 2])
def db(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    path: Path = tmp_path_factory.mktemp("marts") / "w"
    rounds, events = _floor(request.param)
    table_events = [
        TableEvent(stream=of.stream, seq=each["seq"], type=each["type"], payload=each["payload"])
        for of in events
        for each in of.events
        if each["type"].startswith("device_")
    ]
    build(path, rounds, (), events, table_events=table_events, facts=FACTS)
    with reading(path) as opened:
        yield opened


def rows(db: Warehouse, statement: str) -> list[dict[str, Any]]:
    return list(db.sql(statement).pl().iter_rows(named=True))


def by_table(found: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    kept = defaultdict(list)
    for row in found:
        kept[row["stream"]].append(row)
    return kept


@pytest.mark.parametrize("day", [None, *map(date.fromisoformat, DAYS)])
def test_the_floor_s_tiles_are_what_its_rounds_come_to(db: Warehouse, day: date | None) -> None:
    rounds = [row for row in rows(db, "SELECT * FROM fct_rounds") if day in (None, row["gaming_day"])]
    seen = {
        (row["stream"], row["round_no"]): row["at_us"]
        for row in rows(db, "SELECT stream, round_no, max(occurred_at_us) AS at_us FROM round_events GROUP BY ALL")
    }
    tiles = {row["stream"]: row for row in floor_data.floor_overview(db, day).iter_rows(named=True)}
    counted = [row for row in rows(db, "SELECT * FROM fct_table_days") if day in (None, row["gaming_day"])]
    assert tiles.keys() == by_table(counted).keys() >= by_table(rounds).keys()
    for stream, of_table in by_table(rounds).items():
        last, verdicts = max(of_table, key=lambda row: row["closed_at_us"]), Counter(row["verdict"] for row in of_table)
        tile = tiles[stream]
        assert [tile[name] for name in ("rounds", "last_round_no", "last_dealer", "game")] == [
            len(of_table),
            last["round_no"],
            last["dealer"],
            last["game"],
        ]
        assert [tile[name] for name in ("upheld", "variances", "voids", "undetermined")] == [
            verdicts[name] for name in ("UPHELD", "VARIANCE", "VOID", "UNDETERMINED")
        ]
        assert tile["last_event_at_us"] == max(last["closed_at_us"], seen.get((stream, last["round_no"]), 0))


def test_the_floor_as_it_is_now_begins_with_each_table_s_last_day(db: Warehouse) -> None:
    found = live.base(db)
    for stream, of_table in by_table(rows(db, "SELECT * FROM fct_rounds ORDER BY round_no")).items():
        day = max(row["gaming_day"] for row in of_table)
        of_day = [row for row in of_table if row["gaming_day"] == day]
        assert (found[stream].gaming_day, found[stream].rounds) == (day.isoformat(), len(of_day))
        known = [row["house_win_cents"] for row in of_day if row["house_win_cents"] is not None]
        assert found[stream].house_win_cents == (sum(known) if known else None)
        assert list(found[stream].closings) == [row["closed_at_us"] for row in of_day]


def test_devices_are_what_their_events_come_to(db: Warehouse) -> None:
    events = rows(db, "SELECT * FROM round_events")
    found = rows(db, "SELECT * FROM mart_devices")
    assert sum(row["events"] for row in found) == len(events)
    for row in integrity.devices(db).iter_rows(named=True):
        own = [each for each in events if (each["stream"], each["source"]) == (row["stream"], row["source"])]
        about = [e for e in events if (e["stream"], json.loads(e["payload"])["device"]) == (row["stream"], row["source"])]
        types = Counter(each["type"] for each in about)
        assert [row[name] for name in ("events", "last_at_us", "failures", "restored")] == [
            len(own),
            max((each["occurred_at_us"] for each in own), default=None),
            types["device_failed"],
            types["device_restored"],
        ]
        assert row["table_last_at_us"] == max(e["occurred_at_us"] for e in events if e["stream"] == row["stream"])


def test_rules_are_held_against_the_rounds_that_they_judged(db: Warehouse) -> None:
    days = defaultdict(list)
    for row in rows(db, "SELECT * FROM fct_rounds"):
        days[row["stream"], row["rules_digest"]].append(row["gaming_day"])
    assert {(row["stream"], row["rules_digest"]): row for row in rows(db, "SELECT * FROM mart_rules")} == {
        key: {"stream": key[0], "rules_digest": key[1], "rounds": len(of), "first_day": min(of), "last_day": max(of)}
        for key, of in days.items()
    }
    assert rules.filings(db) == []


def test_what_theory_takes_from_the_whole_floor_is_what_its_wagers_come_to(db: Warehouse) -> None:
    counted = [row for row in rows(db, "SELECT * FROM fct_wagers") if row["settled"] and row["line"] != "void"]
    for row in rows(db, "SELECT * FROM mart_theory_floor"):
        own = [each for each in counted if (each["wager"], each["paytable"]) == (row["theory_wager"], row["paytable"])]
        together: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
        for each in own:
            together[each["stream"], each["round_no"]][0] += each["unit_cents"]
            together[each["stream"], each["round_no"]][1] += each["house_win_cents"]
        units, wins = zip(*together.values(), strict=True)
        assert row["unit_cents"] == sum(units)
        assert row["house_win_cents"] == sum(wins)
        assert row["sum_u2"] == sum(each["unit_cents"] ** 2 for each in own)
        assert row["sum_round_u2"] == sum(unit**2 for unit in units)
        assert row["sum_round_w2"] == sum(win**2 for win in wins)
        assert row["sum_round_wu"] == sum(unit * win for unit, win in together.values())


SELECTIONS = (
    Selection(),
    Selection(table="b"),
    Selection(dealer="d-2"),
    Selection(first=date(2026, 3, 6), last=date(2026, 3, 7)),
    Selection(table="nowhere"),
)
OF: tuple[dict[str, Any], ...] = (
    {},
    {"wager": "fortune_bonus"},
    {"wager": "fortune_bonus", "paytable": "1"},
    {"hour": 21},
    {"seat": 3},
)


def _behind(db: Warehouse, of: Selection, more: dict[str, Any]) -> pl.DataFrame:
    """The wagers of a figure, from the table of wagers alone."""
    found = db.sql("SELECT * FROM fct_wagers ORDER BY gaming_day, table_id, round_no, settlement_no").pl()
    for column, value in {"table_id": of.table, "dealer": of.dealer, **more}.items():
        if value is not None:
            found = found.filter(pl.col(column) == value)
    return pl.DataFrame(found.filter(pl.col("gaming_day").is_between(of.first or date.min, of.last or date.max)))


@pytest.mark.parametrize("more", OF, ids=str)
@pytest.mark.parametrize("of", SELECTIONS, ids=lambda of: f"{of.table} {of.dealer} {of.first}")
def test_the_wagers_behind_a_figure_are_its_sums_and_come_page_by_page(
    db: Warehouse, of: Selection, more: dict[str, Any]
) -> None:
    whole = _behind(db, of, more)
    sums = figure_detail.sums_behind(db, of, **more).row(0, named=True)
    assert sums["wagers"] == whole.height
    for name in ("unsettled", "handle_cents", "payouts_cents", "house_win_cents", "from_meter_cents"):
        known = whole[name].drop_nulls()
        assert sums[name] == (known.sum() if known.len() or name == "unsettled" else None)
    for limit in (4, 1000):
        for offset in (0, 3, whole.height - 1, whole.height):
            if offset >= 0:
                page = figure_detail.wagers_behind(db, of, limit=limit, offset=offset, **more)
                assert page.equals(whole.select(page.columns)[offset : offset + limit])


@pytest.mark.parametrize(("games", "named"), [("a", "a"), ("bb", "b"), ("ab", "several_games")], ids="{0}".format)
def test_d1441_a_day_s_game_is_the_one_that_was_dealt_or_none_of_several(games: str, named: str, tmp_path: Path) -> None:
    """As `fct_table_days` defines its column `game`."""
    rounds = [
        msgspec.structs.replace(adjudication("table/a", number, [], day=DAYS[0], first_seq=number * 80), game=game)
        for number, game in enumerate(games, 1)
    ]
    build(tmp_path / "w", rounds[::-1], (), [], facts=FACTS)
    with reading(tmp_path / "w") as opened:
        assert opened.sql("SELECT game FROM fct_table_days").fetchall() == [(named,)]
