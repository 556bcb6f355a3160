"""Every question of a page or command, on a warehouse of many rounds.

DuckDB generates the rounds, without play: 100 tables of Face Up Pai Gow over 300 gaming days, four wagers a round, a finding in
200 rounds at every table, a review of every third; fair dice with their starting position in one round of five, and fairly
shuffled hands of every position in one of fifty. Then the models run over them as in any build. A log of as many rounds would
have some eighty events a round; fewer are generated, so questions about single events see fewer.

`--warehouse-rounds N` (default ten million); `--keep FILE` keeps the warehouse, or uses an existing one. The goal is half a
second a question, including opening the file; the best of three counts, with processor time for a busy machine.
"""

import time
from hashlib import sha256
from pathlib import Path
from typing import Any

from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.warehouse import Warehouse, build_from, reading
from benchmarks.measuring import REPEATS
from benchmarks.questions import QUESTIONS, Question
from benchmarks.reporting import say
from rulebook.chapters.rulebook import simple_submission

ROUNDS, TABLES, DAYS = 10_000_000, 100, 300
GOAL_S = 0.5
_ROUNDS = """
CREATE TEMP TABLE made AS SELECT
    i AS load_no,
    'table/fu-' || lpad((i % $tables)::VARCHAR, 3, '0') AS stream,
    i // $tables + 1 AS round_no,
    i // $tables * $days // ($rounds // $tables + 1) AS day,
    i // $tables % greatest(1, $rounds // $tables // $days) AS of_day,
    (i // $tables + i % $tables) % 200 = 7 AS wrong
FROM range($rounds) AS numbers (i)
"""
_RAW = (
    """
    INSERT INTO raw_adjudications BY NAME SELECT
        load_no, stream, round_no, 1 AS revision, 'bench' AS engine, $digest AS rules_digest, 'bench' AS submission,
        'face_up_pai_gow' AS game, 'pa-688a' AS chapter, (DATE '2026-01-01' + day::INTEGER)::VARCHAR AS gaming_day,
        of_day * 24 // greatest(24, $rounds // $tables // $days + 1) AS hour,
        ['day', 'swing', 'grave'][1 + hour // 8] AS shift,
        'd-' || lpad(((load_no % 100 + day * 7 + of_day // 20) % 150)::VARCHAR, 3, '0') AS dealer,
        1767225600000000 + day * 86400000000 + of_day * 120000000 AS opened_at_us,
        opened_at_us + 90000000 AS closed_at_us, round_no * 80 AS first_seq, round_no * 80 + 79 AS last_seq,
        CASE WHEN wrong THEN 'VARIANCE' ELSE 'UPHELD' END AS verdict, []::VARCHAR[] AS undetermined,
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
        due_cents AS done_cents, 0 AS by_slip_cents, 0 AS from_meter_cents, true AS moved,
        'line' AS line, '688a.11(f)' AS cite
    FROM made, range(1, 5) AS places (place)
    """,
    """
    INSERT INTO raw_findings BY NAME SELECT
        load_no, 1 AS finding_no, 'f' || load_no AS finding_id,
        CASE WHEN hash(load_no) % 2 = 0 THEN 'PAY-OVER' ELSE 'PAY-UNDER' END AS code, stream, round_no, 2 AS seat,
        'base' AS wager, 'as due' AS expected, 'otherwise' AS observed,
        CASE WHEN hash(load_no) % 2 = 0 THEN 500 ELSE -500 END AS difference_cents, [round_no * 80 + 5] AS evidence,
        '688a.12' AS cite, ['high', 'medium', 'low'][1 + load_no // 200 % 3] AS severity, false AS assumed,
        $digest AS rules_digest
    FROM made WHERE wrong
    """,
    """
    INSERT INTO raw_reviews BY NAME SELECT
        'f' || load_no AS finding_id, 'resolved' AS state, 's-lee' AS assigned_to,
        CASE WHEN load_no % 9 = 0 THEN 'false_alarm' ELSE 'confirmed' END AS disposition,
        1767225600000000 + day * 86400000000 + of_day * 120000000 + 3600000000 AS first_at_us,
        first_at_us + 600000000 AS settled_at_us
    FROM made WHERE wrong AND load_no % 3 = 0
    """,
    """
    INSERT INTO raw_table_events BY NAME SELECT DISTINCT
        stream, 1 AS seq, 'rules_filed' AS type,
        to_json({'submission': 'bench', 'effective_gaming_day': '2026-01-01', 'sha256': $digest, 'toml': $toml}) AS payload
    FROM made
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
    CREATE TEMP TABLE rolled AS
    SELECT load_no, stream, round_no, list_transform(range(3), lambda die: 1 + floor(random() * 6)::INTEGER) AS dice
    FROM made WHERE load_no // 100 % 5 = 0
    """,
    """
    INSERT INTO raw_round_events BY NAME
    SELECT stream, round_no, round_no * 80 + 5 AS seq, 'e' AS event_id, 'dice_rolled' AS type, 0 AS occurred_at_us,
        'dice' AS source, '{"dice":' || to_json(dice) || ',"colours":["red","white","blue"],"lie":"flat"}' AS payload,
        sha256(load_no::VARCHAR) AS hash
    FROM rolled
    UNION ALL
    SELECT stream, round_no, round_no * 80 + 6, 'e', 'start_announced', 0, 'dealer',
        '{"position":"' || ['dealer', '6', '5', '4', '3', '2', '1'][1 + (list_sum(dice)::INTEGER - 1) % 7] || '"}',
        sha256(load_no::VARCHAR || 's')
    FROM rolled
    """,
    "DROP TABLE rolled",
    """
    CREATE TEMP TABLE dealt AS
    SELECT load_no, stream, round_no, list_transform(
        list_sort(list_transform(range(53), lambda card: {'at': random(), 'card': card})),
        lambda one: CASE one.card WHEN 52 THEN 'Jk' ELSE '23456789TJQKA'[one.card // 4 + 1] || 'cdhs'[one.card % 4 + 1] END
    ) AS pack
    FROM made WHERE load_no // 100 % 50 = 0
    """,
    """
    INSERT INTO raw_round_events BY NAME
    SELECT stream, round_no, round_no * 80 + 20 + place AS seq, 'e' AS event_id, 'cards_dealt' AS type, 0 AS occurred_at_us,
        'shoe' AS source,
        '{"to":"' || ['dealer', '1', '2', '3', '4', '5', '6'][place + 1] || '","cards":'
            || to_json(pack[place * 7 + 1 : place * 7 + 7]) || '}' AS payload,
        sha256((load_no * 7 + place)::VARCHAR) AS hash
    FROM dealt, range(7) AS places (place)
    UNION ALL
    SELECT stream, round_no, round_no * 80 + 2, 'e', 'round_opened', 0, 'dealer',
        '{"deck":"' || split_part(stream, '/', 2) || '-' || round_no // 50 % 2 || '"}', sha256(load_no::VARCHAR || 'c')
    FROM dealt
    """,
    """
    INSERT INTO raw_table_events BY NAME
    SELECT stream, round_no * 80 + 3 AS seq, 'cards_shuffled' AS type,
        '{"deck":"' || split_part(stream, '/', 2) || '-' || round_no // 50 % 2 || '","method":"automated"}' AS payload
    FROM dealt
    """,
    "DROP TABLE dealt",
)


MEMORY = "8GB"


def make(path: Path, rounds: int) -> None:
    """Build a warehouse of this many rounds at `path` by the usual build."""

    def raw(db: Warehouse) -> None:
        db.execute("SET memory_limit = ?", [MEMORY])  # all rounds are made at once; a build reads them in pieces
        toml = simple_submission(paytables={"fortune_bonus": "1"})
        values = {"rounds": rounds, "tables": TABLES, "days": DAYS, "toml": toml}
        values["digest"] = sha256(toml.encode()).hexdigest()
        for statement in (_ROUNDS, *_RAW):
            db.execute(statement, {name: value for name, value in values.items() if f"${name}" in statement})
        db.execute("DROP TABLE made")

    build_from(path, (), facts=PropertyFacts(name="Benchmark"), prepare=raw)


def ask(path: Path, question: Question) -> dict[str, float]:
    """Return seconds: the best of three by wall time (`wall`) and processor time (`cpu`), and the first by processor time.

    This includes opening the file.
    """
    timed = []
    for _ in range(REPEATS):
        wall, cpu = time.perf_counter(), time.process_time()
        with reading(path) as db:
            question(db)
        timed.append((time.perf_counter() - wall, time.process_time() - cpu))
    best = min(timed)
    return {"wall": round(best[0], 3), "cpu": round(best[1], 3), "first_cpu": round(timed[0][1], 3)}


def measure(folder: Path, rounds: int, keep: Path | None = None) -> dict[str, Any]:
    """Build unless the kept file exists, and ask; return its content of results.json."""
    path = keep or folder / "warehouse.duckdb"
    result: dict[str, Any] = {"rounds": rounds, "goal_s": GOAL_S}
    if not path.exists():
        say(f"building a warehouse of {rounds:,} rounds …")
        began = time.perf_counter()
        make(path, rounds)
        result["build_s"] = round(time.perf_counter() - began, 1)
    result["file_mib"] = path.stat().st_size >> 20
    asked = {name: ask(path, question) for name, question in QUESTIONS.items()}
    result["seconds"] = dict(sorted(asked.items(), key=lambda each: -each[1]["wall"]))
    return result
