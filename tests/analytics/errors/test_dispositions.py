"""A finding that was resolved as no fault counts against no dealer: not in rates, patterns, rules or changes (D692)."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from analytics.errors.dealer_errors import error_prone_rules, error_rates
from analytics.errors.patterns import repeat_patterns
from analytics.errors.rate_changes import error_rate_changes
from analytics.warehouse.loading import ReviewTimes
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse, build, reading
from desk.review.desk import desk_at
from rack.cli import main
from tests.dashboards import living, sample
from tests.desk.people import PEOPLE

TABLE, OF_A_DAY = "table/fu-01", 10
DAYS = ("2026-03-05", "2026-03-06")
TODAY = Selection(first=date(2026, 3, 6), last=date(2026, 3, 6))
STATES = [
    ("resolved", "false_alarm", False),
    ("resolved", "record_wrong", False),
    ("resolved", "duplicate", False),
    ("awaiting_signature", "false_alarm", True),
    ("reopened", None, True),
    ("resolved", "confirmed_recovered", True),
    ("resolved", "confirmed_coached", True),
    ("resolved", "cannot_tell", True),
    ("assigned", None, True),
]
"""State and disposition of a finding → whether it counts."""


def short(number: int) -> Any:
    return sample.finding(TABLE, number, "PAY-OVER", 1, "base", 500, "$5.00", "$10.00", evidence=(number,))


def rounds() -> list[Any]:
    """Ten rounds of d-07 on each of two days: rounds 1 and 11 to 13 overpaid p-1."""
    wrong = {1, 11, 12, 13}
    return [
        sample.adjudication(
            TABLE,
            number,
            [sample.settlement(1, "base", 500, 500, 1000 if number in wrong else 500)],
            [short(number)] if number in wrong else [],
            day=DAYS[(number - 1) // OF_A_DAY],
        )
        for number in range(1, 2 * OF_A_DAY + 1)
    ]


def floor(path: Path, of: Sequence[int], state: str, disposition: str | None) -> None:
    reviews = [
        ReviewTimes(
            finding_id=short(number).id,
            state=state,
            assigned_to=None,
            disposition=disposition,
            amount_cents=None,
            first_at_us=sample.EVENING,
            settled_at_us=sample.EVENING if disposition else None,
        )
        for number in of
    ]
    build(path, rounds(), (), reviews=reviews, facts=sample.FACTS)


def times(db: Warehouse) -> dict[str, int]:
    """How often d-07 is charged: in rates, in a change's two periods, in patterns of the dealer and of the patron, in rules."""
    (rate,) = error_rates(db, "dealer").iter_rows(named=True)
    (change,) = error_rate_changes(db, "dealer", TODAY).iter_rows(named=True)
    patterns = {row["kind"]: row["times"] for row in repeat_patterns(db).iter_rows(named=True)}
    rules = [row["findings"] for row in error_prone_rules(db).iter_rows(named=True)]
    assert rate["overpaid_cents"] == 500 * rate["rounds_wrong"]
    return {
        "rates": rate["rounds_wrong"],
        "change, now": change["rounds_wrong"],
        "change, before": change["prior_rounds_wrong"],
        **{f"patterns: {kind}": patterns.get(kind, 0) for kind in ("dealer", "patron", "dealer_patron")},
        "rules": sum(rules),
    }


ALL = {"rates": 4, "change, now": 3, "change, before": 1, "patterns: dealer": 4, "patterns: patron": 4,
       "patterns: dealer_patron": 4, "rules": 4}  # fmt: skip


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("state", "disposition", "counts"), STATES)
def test_d692_no_question_charges_a_dealer_with_what_was_no_fault(
    tmp_path: Path, state: str, disposition: str | None, counts: bool
) -> None:
    """Rounds 12 and 13 are resolved: two of four remain, one of them today."""
    floor(tmp_path / "w", (12, 13), state, disposition)
    with reading(tmp_path / "w") as db:
        cleared = {name: number - 2 * (name != "change, before") for name, number in ALL.items()}
        assert times(db) == (ALL if counts else cleared)


def test_d692_what_was_cleared_altogether_is_no_row_of_patterns_and_rules(tmp_path: Path) -> None:
    floor(tmp_path / "w", (1, 11, 12, 13), "resolved", "false_alarm")
    with reading(tmp_path / "w") as db:
        assert times(db) == dict.fromkeys(ALL, 0)
        assert repeat_patterns(db).is_empty()
        assert error_prone_rules(db).is_empty()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("question", ["rates", "patterns", "rules"])
def test_d692_a_disposition_reaches_the_command_with_the_next_build(
    tmp_path: Path, question: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both rounds of the floor were paid short; one is resolved as a false alarm, and then reopened."""
    made = living.make(tmp_path)

    def charged() -> int:
        capsys.readouterr()
        main(["dealer-errors", question, "--warehouse", str(made.warehouse), "--json"])
        rows = json.loads(capsys.readouterr().out)
        return max((row.get("rounds_wrong", row.get("times", row.get("findings", 0))) for row in rows), default=0)

    assert charged() == 2
    with desk_at(made.log, persons=PEOPLE) as desk:
        found = [each.finding.id for each in desk.cases()]
        desk.resolve(found[0], disposition="false_alarm", by="m.ortiz", reason="the camera shows $200.00")
    made.build()
    assert charged() == (0 if question == "patterns" else 1)
    with desk_at(made.log, persons=PEOPLE) as desk:
        desk.reopen(found[0], by="s.lee", reason="it shows $100.00")
    made.build()
    assert charged() == 2
