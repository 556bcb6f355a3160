"""A simulated month, end to end: a dealer who pays a friend, one who errs often and a worn die are found, and nothing else is."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from analytics.errors.dealer_errors import error_rates
from analytics.errors.patterns import repeat_patterns
from analytics.fairness.fairness import fairness
from analytics.hold.against_theory import win_against_theory
from analytics.hold.control_charts import funnel
from analytics.hold.periods import tray_differences
from analytics.warehouse.feed import build_warehouse
from analytics.warehouse.warehouse import Warehouse, reading
from floor.day.gaming_day import Simulation, simulate
from floor.day.schemes import EXAMPLE, FRIEND, TAKEN_CENTS, Scheme
from floor.faults.comparison import compare
from floor.table.casino import SIMULATED
from rack.cli import main
from rack.opening import log_at, results_at
from rack.output import Output
from replay.findings import Finding
from replay.run.replayer import findings, replay
from trial.demo import append

pytestmark = pytest.mark.days

ROUNDS, DAYS, SEED = 900, 30, 9


def played(folder: Path, scheme: Scheme) -> tuple[Simulation, list[Finding], Path]:
    """Simulate, append, replay and build, as the commands do."""
    month = simulate(SEED, ROUNDS, plant=False, days=DAYS, scheme=scheme, rare_every=0)
    address = f"sqlite://{folder}/floor.db"
    log = log_at(address, create=True, property_id="month")
    append(log, month.groups(), Output(quiet=True).progress)
    results = results_at(address)
    replay(log, results)
    build_warehouse(folder / "w", log, results)
    found = findings(results)
    results.close()
    log.close()
    return month, found, folder / "w"


@pytest.fixture(scope="module")
def crooked(tmp_path_factory: pytest.TempPathFactory) -> tuple[Simulation, list[Finding], Path]:
    return played(tmp_path_factory.mktemp("crooked"), EXAMPLE)


@pytest.fixture
def db(crooked: tuple[Simulation, list[Finding], Path]) -> Iterator[Warehouse]:
    with reading(crooked[2]) as opened:
        yield opened


@pytest.mark.nightly
def test_every_wrong_settlement_of_the_month_is_found_and_nothing_else(crooked: tuple[Simulation, list[Finding], Path]) -> None:
    month, found, _ = crooked
    assert len(month.labels) > 60
    assert compare(month.labels, found).perfect


@pytest.mark.nightly
def test_both_dealers_stand_out_by_their_mistakes_and_nobody_else(db: Warehouse) -> None:
    frame = error_rates(db, "dealer")
    assert set(frame.filter(pl.col("look"))["dealer"]) == {EXAMPLE.thief, EXAMPLE.clumsy}
    assert frame["dealer"].n_unique() == 7


def test_only_the_one_who_pays_a_friend_shows_a_pattern(db: Warehouse) -> None:
    looked = repeat_patterns(db).filter(pl.col("look"))
    assert ("dealer_patron", "overpaid", EXAMPLE.thief, FRIEND.token) in looked.select(
        "kind", "direction", "dealer", "bettor"
    ).rows()
    assert set(looked["dealer"].drop_nulls()) == {EXAMPLE.thief}
    assert set(looked["bettor"].drop_nulls()) == {FRIEND.token}


def test_the_worn_die_is_found_at_its_table_and_every_other_device_is_not(db: Warehouse) -> None:
    alarms = fairness(db, "table").filter(pl.col("alarm"))
    assert set(alarms["table_id"]) == set(EXAMPLE.worn)
    assert set(alarms["family"]) <= {"die", "total", "start"}
    assert "die" in set(alarms["family"])


def test_chips_that_were_taken_are_missing_from_the_tray(crooked: tuple[Simulation, list[Finding], Path], db: Warehouse) -> None:
    month = crooked[0]
    missing = Counter((table, SIMULATED.gaming_day(day)) for table, day in month.chip_thefts)
    assert missing
    short = {
        (table, str(day)): difference
        for table, day, difference in tray_differences(db).select("table_id", "gaming_day", "difference_cents").iter_rows()
        if difference <= -TAKEN_CENTS / 2
    }
    assert short.keys() == missing.keys()


@pytest.mark.nightly
def test_an_honest_month_raises_no_alarm_of_any_kind(tmp_path: Path) -> None:
    """Nine looks at a month (fairness and win by four groupings each, the funnel), each with at most 1 % of false alarms.

    Of a hundred honest months one is to be expected to alarm in any one look, and at most nine in any at all. Seed 8 is such a
    month: 55 tests of the property's cards and dice, the least p-value 9.8e-5, 0.54 % when corrected for 55.
    """
    month, found, path = played(tmp_path, Scheme())
    assert month.labels == []
    assert found == []
    with reading(path) as db:
        assert not error_rates(db, "dealer")["look"].any()
        assert repeat_patterns(db).is_empty()
        for by in ("property", "table", "dice_set", "deck"):
            assert not fairness(db, by)["alarm"].any(), by
        for by in ("property", "table", "dealer", "shift"):
            assert not win_against_theory(db, by)["alarm"].any(), by
        assert not (funnel(db)["p_adjusted"] <= 0.01).any()
        assert tray_differences(db).is_empty()


@pytest.mark.parametrize(("plant", "codes"), [("scheme", {"PAY-NOT-TAKEN", "PAY-OVER"}), ("nothing", set())])
def test_the_command_simulates_days_of_it(
    plant: str, codes: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "days.jsonl"
    given = ["simulate", "--days", "4", "--rounds", "160", "--plant", plant, "--seed", str(SEED), "--out", str(out)]
    assert main(given) == 0
    labels = json.loads(out.with_name("days.jsonl.labels.json").read_text("utf-8"))
    assert {label["code"] for label in labels["planted"]} >= codes
    assert bool(labels["planted"]) == bool(codes)
    lines = [line for line in out.read_text("utf-8").splitlines() if "gaming_day_opened" in line]
    days = {json.loads(line)["payload"]["gaming_day"] for line in lines}
    assert {"2026-04-06", "2026-04-09"} <= days
