"""Jackpots, tax forms and cash (instructions for Form W-2G, 31 CFR § 1021.311): small months worked out by hand.

The minimum is $2,000 in 2026 and was $600 in 2025; winnings must be 300 times the wager too. Cash counts if it is more than
$10,000 of one token on one gaming day. Both sides of each boundary.
"""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from analytics.reports.filing import PropertyFiling
from analytics.reports.jackpots import jackpots
from analytics.warehouse.loading import TableEvent
from desk.report.content import Report
from events.vocabulary import model
from replay.findings import LedgerEntry, Settlement
from tests.analytics.reports.months import log_of, match, played, rows, sources, table
from tests.dashboards.sample import recorded, settlement
from tests.replay.tables import Table

MARCH = "2026-03-01"


def won(wager: str, staked: int, done: int, seat: int = 1) -> Settlement:
    return settlement(seat, wager, staked, done, done, "royal_flush", paytable="1")


def forms(
    folder: Path, *settlements: Settlement, day: str = MARCH, filing: PropertyFiling | None = None
) -> list[tuple[object, ...]]:
    """The wagers and winnings of the wins that need a form, of one round with these wagers."""
    with (
        log_of(folder, Table()) as log,
        sources(folder, [played("fu-01", 1, day, settlements)], first=day, last=day, log=log, filing=filing) as given,
    ):
        return rows(jackpots(given), "w-2g", "wagered_cents", "winnings_cents")


@pytest.mark.parametrize(
    ("staked", "done", "form"),
    [
        (666, 200_000, True),  # the minimum to the cent; 300 × 6.66 = 1,998.00
        (100, 199_999, False),  # one cent below the minimum
        (667, 200_000, False),  # 300 × 6.67 = 2,001.00
        (1_000, 300_000, True),  # 300 times to the cent
        (1_000, 299_999, False),
    ],
)
def test_w2g_needs_the_minimum_and_300_times_the_wager(tmp_path: Path, staked: int, done: int, form: bool) -> None:
    assert forms(tmp_path, won("fortune_bonus", staked, done)) == ([(staked, done)] if form else [])


@pytest.mark.parametrize(
    ("day", "done", "form"), [("2025-12-31", 60_000, True), ("2025-12-31", 59_999, False), ("2026-01-01", 60_000, False)]
)
def test_w2g_the_minimum_is_that_of_the_day(tmp_path: Path, day: str, done: int, form: bool) -> None:
    assert forms(tmp_path, won("fortune_bonus", 100, done), day=day) == ([(100, done)] if form else [])


@pytest.mark.parametrize(
    ("game", "paid_by", "marked"), [("pai_gow_poker", "the house", (0,)), ("player_dealer", "the player-dealer (a patron)", ())]
)
def test_d872_a_win_paid_by_a_player_dealer_is_named_and_not_the_house_s_to_file(
    tmp_path: Path, game: str, paid_by: str, marked: tuple[int, ...]
) -> None:
    made = played("ca-01", 1, MARCH, [won("fortune_bonus", 100, 250_000)], game=game)
    with log_of(tmp_path, Table()) as log, sources(tmp_path, [made], first=MARCH, last=MARCH, log=log) as given:
        report = jackpots(given)
    assert rows(report, "w-2g", "winnings_cents", "paid_by") == [(250_000, paid_by)]
    assert table(report, "w-2g").marked == marked


@pytest.mark.parametrize(
    ("done", "reduced", "form"), [(300_000, True, True), (299_999, True, False), (299_000, False, True), (298_999, False, False)]
)
def test_w2g_the_300_times_are_of_the_winnings_or_of_the_payout_as_filed(
    tmp_path: Path, done: int, reduced: bool, form: bool
) -> None:
    """A wager of $10.00 with a net of $2,990.00 was paid 300 times and won 299 times."""
    found = forms(tmp_path, won("progressive", 1_000, done), filing=PropertyFiling(w2g_reduced_by_wager=reduced))
    assert [wagered for wagered, _ in found] == ([1_000] if form else [])


def test_w2g_winnings_with_the_stake_where_the_property_filed_so(tmp_path: Path) -> None:
    """6.66 wins 1,995.00: with the stake it is 2,001.66."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    win = won("fortune_bonus", 666, 199_500)
    assert forms(tmp_path / "a", win) == []
    assert forms(tmp_path / "b", win, filing=PropertyFiling(w2g_reduced_by_wager=False)) == [(666, 200_166)]


@pytest.mark.parametrize(
    ("wagers", "found"),
    [
        ([won("fortune_bonus", 500, -500), won("fortune_envy", 0, 200_000)], [(500, 200_000)]),  # 400 times
        ([won("fortune_bonus", 1_000, -1_000), won("fortune_envy", 0, 200_000)], []),  # 200 times
        ([won("fortune_bonus", 500, -500, seat=2), won("fortune_envy", 0, 200_000)], [(None, 200_000)]),  # another seat's
    ],
)
def test_w2g_an_envy_bonus_is_tested_against_the_wager_that_carries_it(
    tmp_path: Path, wagers: list[Settlement], found: list[tuple[object, ...]]
) -> None:
    assert forms(tmp_path, *wagers) == found


# --------------------------------------------------------------------------------------------------------------- cash


def bought(table: Table, patron: str, cents: int, form: str = "cash") -> LedgerEntry:
    """A patron buys in; the entry that the ledger has of it."""
    seq = table.say(model.BuyIn(amount_cents=cents, form=form, patron=patron, seat=1))
    return LedgerEntry(stream=table.stream, seq=seq, gaming_day=MARCH, kind="buy_in", amount_cents=cents, reference=form)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("cash")
    one, two = Table("table/fu-01"), Table("table/fu-02")
    ledger = [
        bought(one, "p-1", 600_000),
        bought(two, "p-1", 400_000),  # 10,000.00 is not more than 10,000
        bought(one, "p-2", 600_000),
        bought(two, "p-2", 400_001),
        bought(one, "p-3", 900_000),  # and 1,000.01 wagered in cash
        bought(one, "p-4", 2_000_000, "voucher"),
        bought(one, "p-5", 1_500_000),  # it was p-6, as the correction says
        replace(bought(one, "p-7", 800_000), gaming_day="2026-03-02"),
        bought(one, "p-7", 800_000),  # two gaming days
    ]
    wrong = next(entry.seq for entry in ledger if entry.amount_cents == 1_500_000)
    correction = {
        "by": "sv-1",
        "reason": "the host's list",
        "supersedes_seq": wrong,
        "supersedes_event_id": "ab" * 16,
        "replacement": {"payload": {"patron": "p-6"}, "round_no": None, "type": "buy_in", "version": 1},
    }
    placed = {"amount_cents": 100_001, "bettor": "p-3", "form": "cash", "number": None, "seat": 1, "wager": "base"}
    chips = {**placed, "bettor": "p-1", "form": "chips"}
    events = [recorded("table/fu-01", 1, [("wager_placed", placed), ("wager_placed", chips)], first_seq=900)]
    with (
        log_of(folder, one, two) as log,
        sources(
            folder,
            [played("fu-01", 1, MARCH, [match(1, 100, -100)])],
            ledger,
            first=MARCH,
            last="2026-03-31",
            log=log,
            rounds_events=events,
            table_events=[TableEvent(stream="table/fu-01", seq=999, type="event_corrected", payload=json.dumps(correction))],
        ) as given,
    ):
        return jackpots(given)


def test_1021_311_cash_is_added_up_by_token_and_gaming_day_over_all_tables(report: Report) -> None:
    columns = ("patron", "transactions", "tables", "bought_cents", "cash_wagered_cents", "cash_cents", "limit_cents")
    assert rows(report, "cash", *columns) == [
        ("p-2", 2, "fu-01, fu-02", 1_000_001, 0, 1_000_001, 1_000_000),
        ("p-3", 2, "fu-01", 900_000, 100_001, 1_000_001, 1_000_000),
        ("p-6", 1, "fu-01", 1_500_000, 0, 1_500_000, 1_000_000),
    ]


def test_the_report_says_that_the_cage_is_not_in_it(report: Report) -> None:
    assert report.limits[0].startswith("The cage is not ours")
