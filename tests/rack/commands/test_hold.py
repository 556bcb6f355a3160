"""`rack hold`: every question answers as text and as JSON, says what it does not know, and opens investigations once."""

import json
from pathlib import Path

import pytest

from analytics.warehouse.warehouse import build
from events.vocabulary.codec import decode
from events.vocabulary.model import Event, InvestigationOpened
from rack.cli import main
from rack.commands.analysis.hold import QUESTIONS
from rack.opening import log_at
from replay.findings import LedgerEntry
from tests.analytics.counts import DAYS, DROP, OF_WAGERS, entry, month
from tests.dashboards import sample
from tests.desk.packet.signed_floor import floor_at, played
from tests.desk.people import register_people


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(sample.make(tmp_path_factory.mktemp("hold") / "warehouse.duckdb"))


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_answers_as_json_and_as_text(question: str, warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hold", question, "--warehouse", warehouse, "--json"]) in (0, 1)
    assert isinstance(json.loads(capsys.readouterr().out), list)
    assert main(["hold", question, "--warehouse", warehouse]) in (0, 1)
    assert capsys.readouterr().out


def test_periods_by_table(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hold", "--by", "table", "--period", "gaming_day", "--from", "2026-03-06", "--warehouse", warehouse]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == [
        "2026-03-06",
        "fu-01",
        "1",
        "1",
        "8,200.00",
        "1,804.00",
        "22.00",
        "5",
        "545.00",
        "-110.00",
        "-20.18",
        "1,250.00",
    ]
    assert "–" in lines[2]


def test_the_newest_day_beside_the_one_before_and_the_sql_of_it(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hold", "change", "--table", "fu-01", "--sql", "--json", "--warehouse", warehouse]) == 0
    printed = capsys.readouterr()
    (row,) = json.loads(printed.out)
    assert (row["prior_hold_percent"], row["hold_percent"], row["verdict"]) == (24.0, 22.0, "cannot_tell")
    assert "FROM mart_hold_table_day" in printed.err
    assert '"from_day": "2026-03-06"' in printed.err


@pytest.fixture(scope="module")
def counts_only(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Thirty days of fu-01 without wagers; one drop was entered twice."""
    path = tmp_path_factory.mktemp("counts") / "w"
    build(path, (), [*month("fu-01"), entry("fu-01", 500, DAYS[0], "drop", DROP, "b-1")])
    return str(path)


ABOUT_WAGERS = ["wagers", "theory", "win", "win-change", "funnel", "chart", "pace", "average", "take-up", "tray", "behind"]


@pytest.mark.parametrize("question", QUESTIONS)
def test_d870_without_wagers_on_record_no_answer_has_a_figure_of_wagers(
    question: str, counts_only: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["hold", question, "--warehouse", counts_only, "--json"]) == 0
    printed = capsys.readouterr()
    for row in json.loads(printed.out):
        assert {value for name, value in row.items() if name in OF_WAGERS} <= {None}
    if question in ABOUT_WAGERS:
        assert json.loads(printed.out) == []
        assert "no wagers are on record for 30 of 30 table days" in printed.err


@pytest.mark.parametrize("question", ["tray", "reconcile", "counts", "periods", "to-date", "change", "investigate"])
def test_d871_a_drop_entered_twice_is_named(question: str, counts_only: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["hold", question, "--warehouse", counts_only])
    assert "fu-01, 2026-03-01: drop b-1 of 9,000.00 is on record twice (events 13 and 500)" in capsys.readouterr().err


def test_what_a_selection_leaves_is_all_that_is_shown(warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["hold", "wagers", "--by", "dealer", "--dealer", "d-11", "--warehouse", warehouse, "--json"])
    assert [row["dealer"] for row in json.loads(capsys.readouterr().out)] == ["d-11"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--by", "dealer"], "expected one of property, game, table"),
        (["--dealer", "d-11"], "figures counted per drop box"),
        (["--period", "week"], "expected one of gaming_day, month, year, all"),
        (["to-date", "--from", "2026-03-05"], "leave out --from"),
        (["change", "--from", "2026-03-05"], "name one with --from DAY and --to DAY, or neither"),
        (["theory", "--open"], "it applies to: investigate"),
        (["--table", "fu-1"], "--table fu-1: the warehouse has nothing of it; it has fu-01, fu-02"),
        (["wagers", "--dealer", "D-11"], "--dealer D-11: the warehouse has nothing of it; it has d-03, d-07"),
        (["--game", "over-under"], "--game over-under: the warehouse has nothing of it; it has face_up_pai_gow"),
        (["pace", "--shift", "late"], "--shift late: the warehouse has nothing of it; it has "),
        (["--from", "2026-03-06", "--to", "2026-03-05"], "--from 2026-03-06 is after --to 2026-03-05"),
        (["investigate", "--period", "all"], "expected one of gaming_day, month, year"),
        (["investigate", "--by", "game", "--open"], "an investigation is about one table"),
    ],
)
def test_what_cannot_be_asked_is_refused(given: list[str], said: str, warehouse: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hold", *given, "--warehouse", warehouse]) == 2
    assert said in capsys.readouterr().err


def test_without_a_warehouse_it_says_what_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hold", "--warehouse", str(tmp_path / "none")]) == 3
    assert "rack replay" in capsys.readouterr().err


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A log with a table fu-01, judged."""
    folder = tmp_path_factory.mktemp("log")
    register_people(folder)
    address = floor_at(folder, played(1)).address
    assert main(["replay", "--log", address, "--quiet"]) == 0
    return address


@pytest.fixture(scope="module")
def quarter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Three months of fu-01: 20 % hold in January, 30 % in February, 20 % in March so far."""
    ledger: list[LedgerEntry] = []
    for of_year, wins in enumerate(([19_00, 21_00], [29_00, 31_00], [19_00, 21_00]), start=1):
        for day, win in enumerate(wins * 3, start=1):
            for kind, cents in (("opener", 500_00), ("closer", 400_00 + win), ("drop", 100_00)):
                ledger.append(
                    LedgerEntry(
                        stream="table/fu-01",
                        seq=len(ledger) + 1,
                        gaming_day=f"2026-{of_year:02}-{day:02}",
                        kind=kind,
                        amount_cents=cents,
                        reference="",
                    )
                )
    path = tmp_path_factory.mktemp("quarter") / "w"
    build(path, (), ledger)
    return str(path)


def test_an_investigation_is_opened_once_with_its_figures_and_closed(
    quarter: str, log: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["hold", "investigate", "--warehouse", quarter, "--open", "--log", log]
    assert main(asked) == 2
    assert "--by-person" in capsys.readouterr().err
    for _ in range(2):
        assert main([*asked, "--by-person", "m.ortiz", "--json"]) == 1
        said = capsys.readouterr()
    assert [row["triggers"] for row in json.loads(said.out)] == [["outside_band", "three_points"]] * 2
    assert "hold-month-2026-02-01 is already open" in said.err
    (event,) = opened(log)  # March goes on: it is not opened yet
    assert isinstance(event, InvestigationOpened)
    assert (event.first_day, event.last_day, event.prior_first_day) == ("2026-02-01", "2026-02-06", "2026-01-01")
    assert (event.drop_cents, event.win_cents, event.prior_win_cents) == (600_00, 180_00, 120_00)
    # days differ by 1 point either way: s² = 6/5, standard error √(2 × s² ÷ 6), t(10) = 2.2281: 20 ± 1.41 %
    assert (event.band_low_bp, event.band_high_bp) == (2000 - 141, 2000 + 141)
    assert event.triggers == ["outside_band", "three_points"]
    close = ["review", "close", "fu-01", "--investigation", event.investigation, "--outcome", "explained_by_play",
             "--by", "s.lee", "--reason", "one patron won it", "--log", log]  # fmt: skip
    assert main(close) == 0
    assert main(close) == 2
    assert "closed already" in capsys.readouterr().err


def opened(address: str) -> list[Event]:
    log = log_at(address, read_only=True, check_heads=False)
    try:
        said = [decode(record.data).payload for record in log.read("review/fu-01")]
    finally:
        log.close()
    return [payload for payload in said if isinstance(payload, InvestigationOpened)]
