"""The calibration itself, in small: it passes what is honest, and sees what is not."""

from collections import Counter
from pathlib import Path

import pytest

from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import simulate
from tests.calibration import replaying
from tests.calibration.__main__ import main, play
from tests.calibration.judge import hold
from tests.calibration.tally import played
from tests.calibration.theory import chances_of


@pytest.mark.parametrize("game", SIMULATIONS)
def test_theory_knows_every_end_that_is_played(game: str) -> None:
    counts = played(7, game, 250)
    known = [key for key in counts if chances_of(key) is not None]
    assert len(known) > 8
    for key in known:
        chances = chances_of(key)
        assert chances is not None
        assert sum(chances.values()) == pytest.approx(1)
        held = hold(counts[key], chances)
        assert held.z is None or abs(held.z) < 5, key


def test_is_a_function_of_the_seed_whatever_the_number_of_processes() -> None:
    assert play(["over_under"], 120, 3, 1) == play(["over_under"], 120, 3, 2) != play(["over_under"], 120, 4, 1)


def test_a_biased_count_is_seen() -> None:
    fair = {1.0: 0.5, -1.0: 0.5}
    off = hold(Counter({1.0: 5_300, -1.0: 4_700}), fair)
    assert off.z == pytest.approx(6.0)
    assert off.p is not None
    assert off.p < 1e-8
    with pytest.raises(ValueError, match="no such end"):
        hold(Counter({2.0: 1}), fair)


def test_writes_its_page(tmp_path: Path) -> None:
    page = tmp_path / "calibration.md"
    assert (
        main(
            [
                "--rounds",
                "300",
                "--replayed",
                "60",
                "--games",
                "over_under",
                "--page",
                str(page),
                "--table",
                str(tmp_path / "table.md"),
            ]
        )
        == 0
    )
    text = page.read_text("utf-8")
    assert "| pa-686a | base |" in (tmp_path / "table.md").read_text("utf-8")
    assert "\n| pa-686a | " in text
    assert "over_under nothing in 60 rounds" in text


@pytest.mark.slow
def test_honest_floors_raise_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    games = ",".join(SIMULATIONS)
    assert replaying.main(["--seeds", "1", "--first", "2026", "--rounds", "40", "--games", games]) == 0
    assert capsys.readouterr().out == f"0 alarms in {len(SIMULATIONS)} honest floors of 40 rounds\n"


def test_a_floor_that_is_not_honest_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    planted = simulate(3, 40, games=("over_under",))
    monkeypatch.setattr(replaying, "simulate", lambda *_, **__: planted)
    assert len(replaying.alarms(3, "over_under", 40)) >= len(planted.labels) > 0


def test_an_open_verdict_is_no_alarm_only_where_evidence_came_late_or_was_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replaying, "LEAVE_OPEN", frozenset[str]())
    lines = replaying.alarms(1, "over_under", 90)
    assert lines
    assert all("UNDETERMINED" in line for line in lines)
