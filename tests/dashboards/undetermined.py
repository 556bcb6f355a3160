"""Walks every UNDETERMINED round of a demo: what its pages, its packet and its commands say of it.

By hand on a larger demo: `python -m tests.dashboards.undetermined FOLDER`, the folder of a `rack demo` on this machine.
"""

import contextlib
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import NamedTuple

from analytics.warehouse.warehouse import reading
from dashboards.run import ACCESS_VARIABLE, LOG_VARIABLE, READ_ONLY, WAREHOUSE_VARIABLE
from desk.packet.check import check_bundle
from desk.packet.make import make_bundle
from desk.packet.story import tell
from events.open import open_checkpoints, open_log
from events.proofs.checkpoint import origin_of
from events.proofs.keys import read_signer
from rack.cli import main
from tests.dashboards.running import said, start

TICKS = ("✔", "✓")
RIGHT = ("rk-a-upheld", "rk-v-upheld", "rk-right")
"""Shapes and styles that call something right."""


class Said(NamedTuple):
    """What is said of an UNDETERMINED round: sentence by who says it, and what marks something on a page as right."""

    table: str
    round_no: int
    game: str
    sentences: dict[str, str]
    marks: list[str]


def undetermined(folder: Path, *, of_a_kind: int | None = None) -> Iterator[Said]:
    """Yield the text on each UNDETERMINED round of the demo in a folder, or on the first few of each game and cause."""
    address, warehouse = f"sqlite://{folder.resolve()}/floor.db", folder / "warehouse.duckdb"
    os.environ.update({LOG_VARIABLE: address, WAREHOUSE_VARIABLE: str(warehouse), ACCESS_VARIABLE: READ_ONLY})
    with reading(warehouse) as db:
        rounds = db.sql(
            """
            SELECT r.table_id, r.round_no, r.game, r.undetermined, max(w.seat) FROM fct_rounds AS r
            LEFT JOIN fct_wagers AS w USING (stream, round_no) WHERE r.verdict = 'UNDETERMINED' GROUP BY ALL ORDER BY ALL
            """
        ).fetchall()
    seen: Counter[tuple[str, str]] = Counter()
    for table, round_no, game, causes, seat in rounds:
        kind = game, re.sub(r"\d+", "", " ".join(causes))
        seen[kind] += 1
        if of_a_kind is not None and seen[kind] > of_a_kind:
            continue
        sentences, marks = {}, []
        for name, query in (
            ("dispute", {"of": table}),
            ("dispute of a seat", {"of": table, "seat": str(seat)}),
            ("round", {"table": table}),
        ):
            page = said(start(name.partition(" ")[0], round=str(round_no), **query))
            sentences[f"page {name}"] = _shown(page)
            marks += [f"{name}: {mark}" for mark in (*TICKS, *RIGHT) if mark in _about_verdicts(page)]
        sentences |= _packets(folder, address, table, round_no, seat) | _commands(address, table, round_no)
        yield Said(table, round_no, game, sentences, marks)


def _shown(page: str) -> str:
    """Return the sentence of a page as a person reads it."""
    found = re.search(r"UNDETERMINED (?!<)[^<]*", page)
    return unescape(found[0]) if found else "no sentence"


def _about_verdicts(page: str) -> str:
    """Return a page without its styles, and without the line on the hashes of its events, which is about the record."""
    return re.sub(r'<style>.*?</style>|<p class="rk-checked.*?</p>', "", page, flags=re.DOTALL)


def _packets(folder: Path, address: str, table: str, round_no: int, seat: int | None) -> dict[str, str]:
    signer = read_signer(folder / "demo.key")
    with closing(open_log(address, read_only=True)) as log:
        assert signer.public_key.name == origin_of(log.log_id, log.property_id)
        with closing(open_checkpoints(address, log_id=log.log_id, read_only=True)) as store:
            bundle, _ = make_bundle(log, store, table, round_no, seat=seat, signer=signer, clock=lambda: 1_800_000_000_000_000)
    checked = check_bundle(bundle.encode(), [signer.public_key])
    assert checked.judged is not None
    story = tell(bundle, checked.judged)
    return {"packet": story["sentence"], "headline of the packet": story["headline"]}


def _commands(address: str, table: str, round_no: int) -> dict[str, str]:
    printed, as_json = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed):
        main(["round", table, str(round_no), "--log", address])
    with contextlib.redirect_stdout(as_json):
        main(["round", table, str(round_no), "--log", address, "--json"])
    line = next(line for line in printed.getvalue().splitlines() if line.startswith("UNDETERMINED"))
    return {"rack round": line, "rack round --json": json.loads(as_json.getvalue())["sentence"]}


if __name__ == "__main__":
    wrong = 0
    for each in undetermined(Path(sys.argv[1])):
        differ = len(set(each.sentences.values())) != 1 or bool(each.marks)
        wrong += differ
        sys.stdout.write(f"{'DIFFERS ' if differ else ''}{each.table} {each.round_no}: {each.sentences['packet']}\n")
        if differ:
            sys.stdout.write(f"  {each.sentences} {each.marks}\n")
    sys.exit(1 if wrong else 0)
