"""What a property files for its reports: dated thresholds, pits, weeks; both sides of every day on which something changes."""

from datetime import date
from pathlib import Path

import pytest

from analytics.reports.filing import FilingError, Pits, PropertyFiling, Threshold, read_filing


@pytest.mark.parametrize(
    ("day", "cents"), [(date(2025, 12, 31), 60_000), (date(2026, 1, 1), 200_000), (date(2026, 12, 31), 200_000)]
)
def test_the_w2g_minimum_is_that_of_the_year(day: date, cents: int) -> None:
    """$600 up to 2025, $2,000 for payments in 2026."""
    assert PropertyFiling().threshold("w2g_minimum_cents", day).value == cents


def test_a_year_without_a_published_minimum_is_an_error_until_the_property_files_it() -> None:
    with pytest.raises(FilingError, match=r"no w2g_minimum_cents is on file for 2027-01-01; add a \[\[thresholds\]\]"):
        PropertyFiling().threshold("w2g_minimum_cents", date(2027, 1, 1))
    own = Threshold(name="w2g_minimum_cents", first=date(2027, 1, 1), value=210_000, cite="Instructions (2027)")
    assert PropertyFiling(thresholds=[own]).threshold("w2g_minimum_cents", date(2027, 1, 1), "EUR").value == 210_000


def test_a_limit_in_dollars_is_not_held_against_other_money() -> None:
    assert PropertyFiling().threshold("w2g_times_wager", date(2026, 1, 1), "EUR").value == 300
    with pytest.raises(FilingError, match="no cash_limit_cents is on file for 2026-01-01 in EUR; add a"):
        PropertyFiling().threshold("cash_limit_cents", date(2026, 1, 1), "EUR")


def test_the_property_s_own_threshold_goes_before_the_published_one_from_its_day_on() -> None:
    filing = PropertyFiling(
        thresholds=[Threshold(name="cash_limit_cents", first=date(2026, 3, 1), value=300_000, cite="internal control 12")]
    )
    assert filing.threshold("cash_limit_cents", date(2026, 2, 28)).value == 1_000_000
    assert filing.threshold("cash_limit_cents", date(2026, 3, 1)).value == 300_000


@pytest.mark.parametrize(
    ("begins", "day", "first"),
    [
        ("monday", date(2026, 3, 29), date(2026, 3, 23)),  # a Sunday
        ("monday", date(2026, 3, 30), date(2026, 3, 30)),
        ("sunday", date(2026, 3, 28), date(2026, 3, 22)),  # a Saturday
        ("sunday", date(2026, 3, 29), date(2026, 3, 29)),
    ],
)
def test_the_week_begins_on_the_day_that_was_filed(begins: str, day: date, first: date) -> None:
    assert PropertyFiling(week_begins=begins).week_of(day) == first


def test_pits_hold_from_their_day_until_the_next_filing() -> None:
    one, two = (Pits(first=date(2026, 3, 10), tables={"A": ["t-1"]}), Pits(first=date(2026, 3, 20), tables={"B": ["t-1"]}))
    spans = list(PropertyFiling(pits=[two, one]).pit_spans(date(2026, 3, 1), date(2026, 3, 31)))
    assert [(str(first), str(last), pits and pits.pit_of("t-1")) for first, last, pits in spans] == [
        ("2026-03-01", "2026-03-09", None),
        ("2026-03-10", "2026-03-19", "A"),
        ("2026-03-20", "2026-03-31", "B"),
    ]


def test_a_filing_is_read_from_toml(tmp_path: Path) -> None:
    file = tmp_path / "reports.toml"
    file.write_text(
        'week_begins = "sunday"\n[[pits]]\nfrom = 2026-03-01\n[pits.tables]\n"Pit 1" = ["fu-01", "fu-02"]\n'
        '[[thresholds]]\nname = "cash_limit_cents"\nfrom = 2026-03-01\nvalue = 300000\ncite = "internal control 12"\n'
    )
    filing = read_filing(file)
    assert filing.week_begins == "sunday"
    assert filing.pits[0].pit_of("fu-02") == "Pit 1"
    assert read_filing(tmp_path / "none.toml") == PropertyFiling() == read_filing(None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('week_begins = "someday"', "someday"),
        ("pit = 1", "unknown field `pit`"),
        ('[[pits]]\nfrom = 2026-03-01\n[pits.tables]\nA = ["t-1"]\nB = ["t-1"]', "table t-1 is in two pits"),
        ("week_begins", "expected"),
    ],
)
def test_a_filing_out_of_form_names_the_file_and_what_is_wrong(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "reports.toml"
    file.write_text(text)
    with pytest.raises(FilingError, match=r"reports\.toml") as caught:
        read_filing(file)
    assert why.lower() in str(caught.value).lower()
