"""Dealers and Fairness by AppTest: every view of both, what is there without data, and the words of their answers."""

from pathlib import Path

import polars as pl
import pytest

from analytics.warehouse.warehouse import build
from dashboards.analysis import fairness_words
from rack.cli import main
from tests.dashboards import sample
from tests.dashboards.running import run, said, unfold


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A simulated gaming day with faults of every kind."""
    out = tmp_path_factory.mktemp("people")
    assert main(["demo", "--out", str(out), "--rounds", "96", "--seed", "11", "--quiet"]) in (0, 1)
    return out / "warehouse.duckdb"


@pytest.mark.parametrize("by", ["", "table", "game", "code", "shift", "hour", "seat"])
def test_rates_by_everything(warehouse: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    page = said(run("dealers", warehouse, monkeypatch, **({"by": by} if by else {})))
    assert "rk-table" in page
    assert "floor's own rates" in page


def test_a_dealer_leads_to_the_findings_behind_the_rate(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 'href="queue?state=all&amp;dealer=' in said(run("dealers", warehouse, monkeypatch))


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("repeats", ("No recurring errors", "No dealer or patron has two errors in the same direction.")),
        ("rules", ("calls for training",)),
        ("time", ("90th percentile", "Not looked at yet")),
        ("alarms", ("False alarms", "duplicates do not count")),
    ],
)
def test_the_other_views(warehouse: Path, monkeypatch: pytest.MonkeyPatch, view: str, words: tuple[str, ...]) -> None:
    page = said(run("dealers", warehouse, monkeypatch, view=view))
    assert all(word in page for word in words)


def test_dealers_accuse_nobody(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = said(run("dealers", warehouse, monkeypatch)).lower()
    assert "shows where to look, not why" in page
    assert not any(word in page for word in ("theft", "steal", "cheat", "guilty", "suspect"))


def test_without_mispayments_dealers_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "w", sample.adjudications()[:2], ())
    assert "No mispayment" in said(run("dealers", tmp_path / "w", monkeypatch))


def test_fairness_shows_every_test_and_the_counts_of_a_family(warehouse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = run("fairness", warehouse, monkeypatch)
    page = said(test)
    assert "Inconclusive tests" not in page
    unfold(test, "inconclusive tests")
    assert "Inconclusive tests" in said(test)  # no test of so small a floor can tell
    assert "1 report in 100 raises a false alarm" in page
    one = run("fairness", warehouse, monkeypatch, family="die", by="property")
    assert "Each die shows each face equally often" in said(one)
    assert "Totals of three dice" not in said(one)
    assert said(one).count('class="rk-chart"') == 1


@pytest.mark.parametrize(
    ("verdicts", "words"),
    [
        (["alarm", "within"], "Chance does not explain 1 of 2 tests."),
        (["cannot_tell", "cannot_tell", "within"], "Nothing stands out, but 2 of 3 tests are inconclusive."),
        (["within", "within", "cannot_tell"], "Chance explains all of 3 tests."),
    ],
)
def test_the_answer_never_acquits_what_cannot_be_told(verdicts: list[str], words: str) -> None:
    found = pl.DataFrame({"verdict": verdicts, "alarm": [each == "alarm" for each in verdicts]})
    assert words in fairness_words.answer(found)


def test_without_devices_fairness_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build(tmp_path / "w", (), ())
    assert "Nothing to test" in said(run("fairness", tmp_path / "w", monkeypatch))
