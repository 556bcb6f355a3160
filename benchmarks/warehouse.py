"""`python -m benchmarks.warehouse`: every question that a page or command asks, on a warehouse of many rounds.

The rounds are made by DuckDB, not played: 100 tables of Face Up Pai Gow over 300 gaming days, four wagers a round, a finding in
200, dice rolls in one round of five and hands of every position in one of fifty. Then the models run over them as in any build.

`make bench` does this too. `--rounds N` (default ten million); `--keep FILE` keeps the warehouse, or asks one that is there.
The goal is half a second a question, opening the file included; the best of three counts, with processor time beside it for a
busy machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, Final

from analytics import (
    against_theory,
    behind,
    control,
    fairness,
    hold,
    investigations,
    mistakes,
    pace,
    patterns,
    periods,
    queue,
)
from analytics.loading import PropertyFacts
from analytics.selection import Selection
from analytics.warehouse import Warehouse, build_from, reading
from benchmarks.measuring import REPEATS, machine
from benchmarks.reporting import say

ROUNDS, TABLES, DAYS = 10_000_000, 100, 300
GOAL_S = 0.5
LAST_DAY: Final = date(2026, 10, 27)
TABLE: Final = Selection(table="fu-007")
WEEK: Final = Selection(first=date(2026, 10, 21), last=LAST_DAY)
MONTH: Final = Selection(first=date(2026, 10, 1), last=LAST_DAY)

_ROUNDS = """
CREATE TEMP TABLE made AS SELECT
    i AS load_no,
    'table/fu-' || lpad((i % $tables)::VARCHAR, 3, '0') AS stream,
    i // $tables + 1 AS round_no,
    i // $tables * $days // ($rounds // $tables + 1) AS day,
    i // $tables % greatest(1, $rounds // $tables // $days) AS of_day
FROM range($rounds) AS numbers (i)
"""
_RAW = (
    """
    INSERT INTO raw_adjudications BY NAME SELECT
        load_no, stream, round_no, 1 AS revision, 'bench' AS engine, 'ab' AS rules_digest, 'bench' AS submission,
        'face_up_pai_gow' AS game, 'pa-688a' AS chapter, (DATE '2026-01-01' + day::INTEGER)::VARCHAR AS gaming_day,
        of_day * 24 // greatest(24, $rounds // $tables // $days + 1) AS hour,
        ['day', 'swing', 'grave'][1 + hour // 8] AS shift,
        'd-' || lpad(((load_no % 100 + day * 7 + of_day // 20) % 150)::VARCHAR, 3, '0') AS dealer,
        1767225600000000 + day * 86400000000 + of_day * 120000000 AS opened_at_us,
        opened_at_us + 90000000 AS closed_at_us, round_no * 80 AS first_seq, round_no * 80 + 79 AS last_seq,
        CASE WHEN load_no % 200 = 0 THEN 'VARIANCE' ELSE 'UPHELD' END AS verdict, []::VARCHAR[] AS undetermined,
        []::VARCHAR[] AS withdrawn
    FROM made
    """,
    """
    INSERT INTO raw_settlements BY NAME SELECT
        load_no, place AS settlement_no, 1 + (load_no + place) % 6 AS seat,
        CASE place WHEN 4 THEN 'fortune_bonus' ELSE 'base' END AS wager,
        'p-' || (hash(load_no // 4000, place) % 5000) AS bettor, CASE place WHEN 4 THEN '1' ELSE '' END AS paytable,
        (CASE place WHEN 4 THEN 500 ELSE 2500 * (1 + hash(load_no, place) % 4) END)::BIGINT AS staked_cents,
        CASE hash(place, load_no) % 10 WHEN 0 THEN staked_cents WHEN 1 THEN staked_cents WHEN 2 THEN -staked_cents
            WHEN 3 THEN -staked_cents WHEN 4 THEN -staked_cents ELSE 0 END AS due_cents,
        due_cents AS done_cents, 0 AS by_slip_cents, 'line' AS line, '688a.11(f)' AS cite
    FROM made, range(1, 5) AS places (place)
    """,
    """
    INSERT INTO raw_findings BY NAME SELECT
        load_no, 1 AS finding_no, 'f' || load_no AS finding_id,
        CASE load_no % 400 WHEN 0 THEN 'PAY-OVER' ELSE 'PAY-UNDER' END AS code, stream, round_no, 2 AS seat,
        'base' AS wager, 'as due' AS expected, 'otherwise' AS observed,
        CASE load_no % 400 WHEN 0 THEN 500 ELSE -500 END AS difference_cents, [round_no * 80 + 9] AS evidence,
        '688a.12' AS cite, ['high', 'medium', 'low'][1 + load_no // 200 % 3] AS severity, false AS assumed, 'ab' AS rules_digest
    FROM made WHERE load_no % 200 = 0
    """,
    """
    INSERT INTO raw_ledger BY NAME
    SELECT stream, day * 10 + place AS seq, (DATE '2026-01-01' + day::INTEGER)::VARCHAR AS gaming_day,
        ['opener', 'closer', 'drop', 'buy_in'][place] AS kind,
        [20000000, 19900000 + (hash(stream, day) % 400000)::BIGINT, 1500000, 1400000][place] AS amount_cents,
        '' AS reference
    FROM (SELECT DISTINCT stream, day FROM made), range(1, 5) AS places (place)
    """,
    """
    INSERT INTO raw_round_events BY NAME
    SELECT stream, round_no, round_no * 80 + 5 AS seq, 'e' AS event_id, 'dice_rolled' AS type, 0 AS occurred_at_us,
        'dice' AS source,
        '{"dice":[' || 1 + floor(random() * 6)::INTEGER || ',' || 1 + floor(random() * 6)::INTEGER || ','
            || 1 + floor(random() * 6)::INTEGER || '],"colours":["red","white","blue"],"lie":"flat"}' AS payload,
        sha256(load_no::VARCHAR) AS hash
    FROM made WHERE load_no // 100 % 5 = 0
    """,
    """
    INSERT INTO raw_round_events BY NAME
    WITH dealt AS (
        SELECT load_no, stream, round_no,
            list_sort(list_transform(range(53), lambda card: {'h': hash(card, load_no), 'card': card})) AS pack
        FROM made WHERE load_no // 100 % 50 = 0
    )

    SELECT stream, round_no, round_no * 80 + 20 + place AS seq, 'e' AS event_id, 'cards_dealt' AS type, 0 AS occurred_at_us,
        'shoe' AS source,
        '{"to":"' || ['dealer', '1', '2', '3', '4', '5', '6'][place + 1] || '","cards":' || to_json(list_transform(
            pack[place * 7 + 1 : place * 7 + 7],
            lambda one: CASE one.card WHEN 52 THEN 'Jk' ELSE '23456789TJQKA'[one.card // 4 + 1] || 'cdhs'[one.card % 4 + 1] END
        )) || '}' AS payload,
        sha256((load_no * 7 + place)::VARCHAR) AS hash
    FROM dealt, range(7) AS places (place)
    """,
)


def make(path: Path, rounds: int) -> None:
    """Build a warehouse of so many rounds at `path`, as any other is built."""

    def raw(db: Warehouse) -> None:
        db.execute(_ROUNDS, {"rounds": rounds, "tables": TABLES, "days": DAYS})
        for statement in _RAW:
            named = {"rounds": rounds, "tables": TABLES, "days": DAYS} if "$rounds" in statement else {}
            db.execute(statement, named)
        db.execute("DROP TABLE made")

    build_from(path, (), facts=PropertyFacts(name="Benchmark"), before=raw)


Question = Callable[[Warehouse], Any]
QUESTIONS: Final[dict[str, Question]] = {
    "floor": partial(hold.floor_overview, gaming_day=LAST_DAY),
    "floor, all days": hold.floor_overview,
    "queue": partial(queue.findings_queue, limit=50),
    "queue totals": queue.queue_totals,
    "queue choices": queue.queue_choices,
    "round": lambda db: hold.round_view(db, "table/fu-042", 50),
    "rounds of a table and day": partial(hold.rounds_of, table="fu-042", gaming_day=LAST_DAY),
    "hold by table day": hold.hold_by_table_day,
    "hold totals": hold.hold_totals,
    "hold by wager": partial(hold.hold_by, dimension="wager"),
    "hold by dealer": partial(hold.hold_by, dimension="dealer"),
    "hold by month": periods.hold_by_period,
    "to date": periods.month_and_year_to_date,
    "tray": periods.tray_differences,
    "theory by game": against_theory.win_against_theory,
    "theory by dealer, a month": partial(against_theory.win_against_theory, by="dealer", selection=MONTH),
    "theory by table, a week": partial(against_theory.win_against_theory, by="table", selection=WEEK),
    "theoretical win by dealer": partial(against_theory.theoretical_win, by="dealer"),
    "funnel of dealers": control.funnel,
    "chart of a table": partial(control.over_time, selection=TABLE),
    "investigations": investigations.written_investigations,
    "pace": pace.pace,
    "pace audit": pace.pace_audit,
    "average wagers": pace.average_wagers,
    "take-up": pace.side_wager_take_up,
    "wagers behind a table's day": partial(
        behind.wagers_behind, selection=Selection(table="fu-007", first=LAST_DAY, last=LAST_DAY)
    ),
    "counts behind a table": partial(behind.counts_behind, selection=TABLE),
    "mistakes by dealer": mistakes.error_rates,
    "mistakes by seat": partial(mistakes.error_rates, by="seat"),
    "rules got wrong": mistakes.error_prone_rules,
    "time to detection": mistakes.time_to_detection,
    "false alarms": mistakes.false_alarms,
    "patterns, a month": partial(patterns.repeat_patterns, selection=MONTH),
    "fairness of the property": partial(fairness.fairness, by="property"),
    "fairness by table, a month": partial(fairness.fairness, by="table", selection=MONTH),
}


def ask(path: Path, question: Question) -> tuple[float, float]:
    """Return seconds by the clock and by the processor of the best of three, the opening of the file included."""
    best = (float("inf"), float("inf"))
    for _ in range(REPEATS):
        wall, cpu = time.perf_counter(), time.process_time()
        with reading(path) as db:
            question(db)
        best = min(best, (time.perf_counter() - wall, time.process_time() - cpu))
    return best


def measure(folder: Path, rounds: int, keep: Path | None = None) -> dict[str, Any]:
    """Build unless the file to keep is there, and ask; return what results.json holds of it."""
    path = keep or folder / "warehouse.duckdb"
    result: dict[str, Any] = {"rounds": rounds, "goal_s": GOAL_S}
    if not path.exists():
        say(f"building a warehouse of {rounds:,} rounds …")
        began = time.perf_counter()
        make(path, rounds)
        result["build_s"] = round(time.perf_counter() - began, 1)
    result["file_mib"] = path.stat().st_size >> 20
    asked = {name: ask(path, question) for name, question in QUESTIONS.items()}
    slowest_first = sorted(asked.items(), key=lambda each: -each[1][0])
    result["seconds"] = {name: {"wall": round(wall, 3), "cpu": round(cpu, 3)} for name, (wall, cpu) in slowest_first}
    return result


def main() -> int:
    """Build, ask, write what came of it to stdout as JSON; 1 where a question took longer than the goal."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rack-bench-") as folder:
        result = measure(Path(folder), arguments.rounds, arguments.keep)
    json.dump(result | {"machine": machine()}, sys.stdout, indent=2)
    return 1 if any(each["wall"] > GOAL_S for each in result["seconds"].values()) else 0


if __name__ == "__main__":
    raise SystemExit(main())
