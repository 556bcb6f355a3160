"""Take-up of a side wager is counted against base wagers if it could be made: table days that offer its paytable."""

import json
from collections.abc import Iterator
from hashlib import sha256

import pytest
from msgspec.structs import replace

from analytics.hold.pace import side_wager_take_up
from analytics.warehouse.loading import TableEvent
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from replay.findings import Adjudication, Settlement
from rulebook.chapters.submission import simple_submission
from tests.dashboards import sample

OFFERED, OTHER, NONE = (simple_submission(paytables=each) for each in ({"fortune_bonus": "1"}, {"fortune_bonus": "2"}, {}))
"""Rules with Fortune by paytable 1, with Fortune by paytable 2, and without Fortune."""
FU_01, FU_02, FU_03 = ("table/fu-01", OFFERED), ("table/fu-02", NONE), ("table/fu-03", OTHER)


def filing(stream: str, seq: int, toml: str, day: str) -> TableEvent:
    payload = {"submission": "x", "effective_gaming_day": day, "sha256": sha256(toml.encode()).hexdigest(), "toml": toml}
    return TableEvent(stream=stream, seq=seq, type="rules_filed", payload=json.dumps(payload))


def base(seat: int) -> Settlement:
    return sample.settlement(seat, "base", 2_500, -2_500, -2_500)


def fortune(seat: int, paytable: str = "1") -> Settlement:
    return sample.settlement(seat, "fortune_bonus", 500, -500, -500, paytable=paytable)


def played(stream: str, number: int, toml: str, settlements: list[Settlement], day: str) -> Adjudication:
    made = sample.adjudication(stream, number, settlements, day=day)
    return replace(made, rules_digest=sha256(toml.encode()).hexdigest())


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    """
    5 March: FU-01 offers Fortune 1, and no one makes it (2 base wagers). FU-02 offers none (4), FU-03 offers paytable 2 (1).
    6 March: FU-01 (2 base wagers, 1 Fortune), FU-02 (4), FU-03 (2, 2 Fortunes). 7 March: FU-02 offers it now (1), FU-01 has
    rules that are not on record, and a Fortune is made there (1).
    """
    first, second, third = "2026-03-05", "2026-03-06", "2026-03-07"
    rounds = [
        played(*at(FU_01, 1), [base(1), base(2)], first),
        played(*at(FU_02, 1), [base(seat) for seat in (1, 2, 3, 4)], first),
        played(*at(FU_03, 1), [base(1)], first),
        played(*at(FU_01, 2), [base(1), base(2), fortune(2)], second),
        played(*at(FU_02, 2), [base(seat) for seat in (1, 2, 3, 4)], second),
        played(*at(FU_03, 2), [base(1), base(2), fortune(1, "2"), fortune(2, "2")], second),
        played("table/fu-02", 3, OFFERED, [base(1)], third),
        played("table/fu-01", 3, "nobody knows", [base(1), fortune(1)], third),
    ]
    filings = [filing(stream, 1, toml, first) for stream, toml in (FU_01, FU_02, FU_03)]
    filings += [filing("table/fu-02", 2, OFFERED, third), filing("table/fu-03", 2, "refused = true", third)]
    path = tmp_path_factory.mktemp("take-up") / "w"
    build(path, rounds, (), table_events=filings, facts=sample.FACTS)
    with reading(path) as opened:
        yield opened


def at(table: tuple[str, str], number: int) -> tuple[str, int, str]:
    return table[0], number, table[1]


@pytest.mark.parametrize(
    ("by", "value", "paytable", "made", "of"),
    [
        ("game", "face_up_pai_gow", "1", 2, 6),  # 2 + 2 of FU-01, 1 of FU-02 since it offers it, 1 if somebody made it
        ("game", "face_up_pai_gow", "2", 2, 3),  # FU-03 alone, the day without a wager, too
        ("table", "fu-01", "1", 2, 5),
        ("table", "fu-03", "2", 2, 3),
    ],
)
def test_take_up_is_of_the_base_wagers_where_the_paytable_is_offered(
    db: Warehouse, by: str, value: str, paytable: str, made: int, of: int
) -> None:
    rows = side_wager_take_up(db, by).filter(paytable=paytable)
    (row,) = [each for each in rows.iter_rows(named=True) if each["game" if by == "game" else "table_id"] == value]
    assert (row["wagers"], row["base_wagers"], row["take_up_percent"]) == (made, of, pytest.approx(100 * made / of))


def test_take_up_of_the_property_and_of_a_selection(db: Warehouse) -> None:
    whole = side_wager_take_up(db, "property")
    assert whole.select("paytable", "wagers", "base_wagers").rows() == [("1", 2, 6), ("2", 2, 3)]
    first = side_wager_take_up(db, "property", Selection(table="fu-01"))
    assert first.select("paytable", "wagers", "base_wagers").rows() == [("1", 2, 5)]
