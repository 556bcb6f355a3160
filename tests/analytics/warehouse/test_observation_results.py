"""What people observed is in tables of its own: no figure of the tables counts it, whatever is entered."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from analytics.statistics.exact import clopper_pearson, hypergeometric
from analytics.warehouse.feed import build_warehouse
from analytics.warehouse.observation_results import interval_of
from analytics.warehouse.warehouse import MODELS, reading
from events.open import open_log, open_results
from rack.cli import main
from tests.desk.people import register_people
from tests.device_lines import as_lines

RULES = "rules pa-688a ace_high_bonus=1\ntable fu-01\nday 2026-03-01\n"
ROUND = """\
round {number}
dealer d-7
wager   seat=3 base 25.00  ace_high_bonus 10.00
dice    2 2 4 -> dealer
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
return  seat=3 base 25.00
pay     seat=3 ace_high_bonus {paid}
close
"""
ITSELF = ("digests", "generation", "sources")
"""What the file says of itself: how it was built, and how far the log was read."""
OBSERVED = ("fct_observed_rounds", "mart_observations")


class Property:
    """A log with ten recorded rounds and a warehouse."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys
        self.log, self.warehouse = f"sqlite://{folder}/floor.db", folder / "warehouse.duckdb"
        register_people(folder)
        rounds = "".join(ROUND.format(number=n, paid="200.00") for n in range(1, 11))
        (folder / "played.txt").write_text(RULES + rounds)
        self.rack("ingest", str(as_lines(folder / "played.txt")), "--property", "bellwether")
        self.replay()

    def rack(self, *words: str, codes: tuple[int, ...] = (0,)) -> str:
        assert main([*words, *(() if words[0] in ("hold", "fairness", "dealer-errors") else ("--log", self.log))]) in codes
        return self.capsys.readouterr().out

    def replay(self) -> None:
        self.rack("replay", "--warehouse", str(self.warehouse), "--quiet", codes=(0, 1))

    def enter(self, number: int, paid: str, *options: str) -> None:
        (self.folder / f"entry-{number}.txt").write_text(ROUND.format(number=number, paid=paid))
        self.rack(
            "ingest", str(self.folder / f"entry-{number}.txt"), "--table", "fu-01", "--day", "2026-03-01",
            "--observer", "m.ortiz", "--camera", "cam-4", *options,
        )  # fmt: skip

    def figures(self) -> dict[str, object]:
        """All rows of all models but those of what was observed, and what the commands print of them."""
        with reading(self.warehouse) as db:
            rows: dict[str, object] = {
                model: sorted(db.sql(f"SELECT * FROM {model}").fetchall(), key=repr) for model in MODELS if model not in OBSERVED
            }
        of = ("--warehouse", str(self.warehouse), "--json")
        for words in (("hold", "periods"), ("hold", "pace"), ("hold", "theory"), ("fairness",), ("dealer-errors",)):
            rows[" ".join(words)] = self.rack(*words, *of, codes=(0, 1, 2))
        return rows

    def exports(self) -> dict[str, bytes]:
        """The bytes of every table that is exported."""
        out = self.folder / "out"
        self.rack("warehouse", "export", "--warehouse", str(self.warehouse), "--out", str(out), "--by", "m.ortiz",
                  "--reason", "audit", "--format", "csv", codes=(0, 2))  # fmt: skip
        return {each.name: each.read_bytes() for each in sorted(out.rglob("*.csv")) if each.stem not in (*OBSERVED, *ITSELF)}

    def rows(self, model: str) -> list[dict[str, object]]:
        with reading(self.warehouse) as db:
            found = db.sql(f"FROM {model} ORDER BY ALL")
            return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


@pytest.mark.slow
def test_ten_audited_hands_leave_every_figure_as_it_was(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = Property(tmp_path, capsys)
    before, files = at.figures(), at.exports()
    assert len(files) > 20
    frame = ["--from", "2026-03-01T00:00:00Z", "--to", "2026-03-02T00:00:00Z"]
    at.rack("observe", "open", "--table", "fu-01", "--by", "m.ortiz", "--purpose", "dealer_audit", "--dealer", "d-7",
            "--planned", "10", "--selection", "random", *frame)  # fmt: skip
    for number in range(1, 11):
        at.enter(number, "200.00" if number > 1 else "100.00", "--observation", "o-1")
    at.enter(11, "100.00")
    at.replay()
    assert at.figures() == before
    assert at.exports() == files
    sampled, outside = sorted(at.rows("mart_observations"), key=lambda row: str(row["basis"]), reverse=True)
    assert (sampled["basis"], sampled["entered"], sampled["known"], sampled["wrong"]) == ("sampled", 10, 10, 1)
    assert (sampled["patron_short_cents"], sampled["difference_cents"]) == (10_000, -10_000)
    bounds = clopper_pearson(1, 10)
    assert (sampled["low"], sampled["high"]) == (bounds.low, bounds.high)
    assert (outside["basis"], outside["entered"], outside["low"]) == ("for_cause", 1, None)
    assert {row["basis"] for row in at.rows("fct_rounds")} == {"recorded"}
    assert len(at.rows("fct_observed_rounds")) == 11


@pytest.mark.slow
def test_a_refresh_comes_to_what_a_build_from_nothing_comes_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = Property(tmp_path, capsys)
    for number in (1, 2):
        at.enter(number, "100.00")
        at.replay()
    at.rack("observe", "correct", "--table", "fu-01", "--event", "2", "--strike", "--by", "m.ortiz", "--reason", "twice")
    at.replay()
    refreshed = {model: at.rows(model) for model in OBSERVED}
    assert [row["withdrawn"] for row in refreshed["fct_observed_rounds"]] == [True, False]
    with closing(open_log(at.log, read_only=True)) as log, closing(open_results(at.log, read_only=True)) as results:
        build_warehouse(at.warehouse, log, results, anew=True)
    assert {model: at.rows(model) for model in OBSERVED} == refreshed


@pytest.mark.slow
def test_the_errors_report_has_a_part_of_its_own_for_what_was_observed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = Property(tmp_path, capsys)
    report = (
        "report", "errors-disputes", "--from", "2026-03-01", "--to", "2026-03-01", "--warehouse", str(at.warehouse),
        "--by", "m.ortiz",
        "--key", str(tmp_path / "key"),
    )  # fmt: skip
    at.rack("keys", "new", str(tmp_path / "key"), "--by", "chief")
    at.rack(*report, "--out", str(tmp_path / "before"))
    assert not list((tmp_path / "before").rglob("*observed*"))
    at.enter(1, "100.00")
    at.replay()
    at.rack(*report, "--out", str(tmp_path / "after"))
    (file,) = (tmp_path / "after").rglob("*observed*.csv")
    assert "entered for cause, which says nothing about a rate" in file.read_text("utf-8")


def test_findings_of_entries_are_in_no_queue(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The number of an entry is not the number of a round of the table."""
    at = Property(tmp_path, capsys)
    at.enter(1, "100.00")
    at.replay()
    assert "PAY-UNDER" not in at.rack("review", "list", codes=(0, 1))
    assert "PAY-UNDER" in at.rack("observe", "result", codes=(1,))


@pytest.mark.parametrize("rounds", [10, 59, 299])
@pytest.mark.parametrize("rate", [0.0, 0.005, 0.02, 0.1, 0.5])
def test_the_interval_covers_the_rate_in_95_of_100_audits(rounds: int, rate: float) -> None:
    chance = random.Random(f"{rounds}/{rate}")
    audits = 2_000
    covered = 0
    for _ in range(audits):
        wrong = sum(chance.random() < rate for _ in range(rounds))
        bounds = interval_of(wrong, rounds, None)
        covered += bounds.low <= rate <= bounds.high
    assert covered / audits >= 0.95 - 2.6 * (0.95 * 0.05 / audits) ** 0.5


@pytest.mark.parametrize(("rounds", "frame"), [(10, 40), (59, 200), (299, 400)])
def test_of_a_counted_frame_the_interval_covers_too_and_is_narrower(rounds: int, frame: int) -> None:
    chance = random.Random(f"{rounds}/{frame}")
    marked = frame // 10
    deck = [True] * marked + [False] * (frame - marked)
    bounds = {k: hypergeometric(k, rounds, frame) for k in range(min(rounds, marked) + 1)}
    covered = 0
    for _ in range(2_000):
        found = bounds[sum(chance.sample(deck, rounds))]
        covered += found.low <= marked / frame <= found.high
    assert covered / 2_000 >= 0.95 - 2.6 * (0.95 * 0.05 / 2_000) ** 0.5
    assert hypergeometric(0, rounds, frame).high < clopper_pearson(0, rounds).high


@pytest.mark.slow
def test_a_round_that_two_observers_entered_is_one_round_of_the_sample(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = Property(tmp_path, capsys)
    at.rack("observe", "open", "--table", "fu-01", "--by", "m.ortiz", "--purpose", "game_audit", "--planned", "3",
            "--selection", "random", "--rounds", "10")  # fmt: skip
    at.enter(1, "100.00", "--observation", "o-1")
    at.enter(2, "100.00", "--observation", "o-1", "--same-entry", "1")
    at.enter(3, "200.00", "--observation", "o-1")
    at.replay()
    (sampled,) = at.rows("mart_observations")
    assert (sampled["entered"], sampled["known"], sampled["wrong"]) == (2, 2, 1)
    assert (sampled["patron_short_cents"], sampled["cards"], sampled["cards_alike"]) == (10_000, 14, 14)
    bounds = hypergeometric(1, 2, 10)
    assert (sampled["low"], sampled["high"]) == (bounds.low, bounds.high)
    at.enter(4, "100.00", "--observation", "o-1", "--same-entry", "3")  # the second observer saw another payment
    at.replay()
    (sampled,) = at.rows("mart_observations")
    assert (sampled["entered"], sampled["known"], sampled["wrong"]) == (2, 1, 1)
    assert (sampled["amounts"], sampled["amounts_alike"]) == (8, 7)
