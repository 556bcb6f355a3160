"""How many planted mispayments are reported while they can still be corrected.

The log of a demo is read event by event, as by a replay that follows it, and advice is computed after each event of a round whose
verdict finds wrong money. A mispayment is reported in time if advice names the verdict's finding while the round is open and, if
more settlement was to come, before its payment is complete.
"""

import json
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from events.open import open_log, open_results
from events.vocabulary.codec import read
from events.vocabulary.model import RoundClosed
from replay.findings import Finding
from replay.fold.table_fold import TableFold
from replay.run.advising import MONEY_MOVES, advise_on
from replay.run.replayer import findings


class PlantedMispayment(NamedTuple):
    """A planted mispayment: whether advice named it, whether settling then continued, and the seconds left in the round."""

    code: str
    in_time: bool
    settling: bool
    left_s: float


def planted_money(folder: Path) -> dict[str, list[Finding]]:
    """Return the money findings of planted faults, by stream."""
    planted = json.loads((folder / "labels.json").read_text())["planted"]
    wanted = {(each["stream"], each["round_no"], each["code"]) for each in planted}
    found: dict[str, list[Finding]] = {}
    for each in findings(open_results(f"sqlite://{folder.resolve()}/floor.db", read_only=True)):
        if each.difference_cents and (each.stream, each.round_no, each.code) in wanted:
            found.setdefault(each.stream, []).append(each)
    return found


def planted_mispayments(folder: Path) -> list[PlantedMispayment]:
    """Return every planted mispayment of a demo."""
    log, made = open_log(f"sqlite://{folder.resolve()}/floor.db", read_only=True), list[PlantedMispayment]()
    for stream, wrong in planted_money(folder).items():
        rounds, fold = {each.round_no for each in wrong}, TableFold(stream)
        said: dict[str, tuple[int, int]] = {}
        last, closed = dict[int | None, int](), dict[int | None, int]()
        for record in log.read(stream):
            event = read(record.data)
            fold.apply(event)
            if event.round_no in rounds and isinstance(event.payload, RoundClosed):
                closed[event.round_no] = event.occurred_at_us
            if fold.open is None or fold.open.round_no not in rounds:
                continue
            if event.payload.KIND in MONEY_MOVES:
                last[event.round_no] = event.seq
            advice = advise_on(fold, event.seq)
            for each in advice.warnings if advice is not None else ():
                said.setdefault(each.id, (event.seq, event.occurred_at_us))
        for each in wrong:
            seq, at_us = said.get(each.id, (0, 0))
            left_s = (closed.get(each.round_no, at_us) - at_us) / 1e6 if seq else 0.0
            made.append(PlantedMispayment(each.code, bool(seq), 0 < seq < last.get(each.round_no, 0), left_s))
    return made


def measure(folder: Path) -> dict[str, Any]:
    """Make a demo in a folder; return how many of its planted mispayments were reported in time, and the others."""
    from rack.cli import main

    main(["demo", "--out", str(folder), "--quiet", "--json"])
    found = planted_mispayments(folder)
    in_time = [each for each in found if each.in_time]
    return {
        "planted": len(found),
        "in_time": len(in_time),
        "before_complete": sum(each.settling for each in in_time),
        "median_left_s": round(median(each.left_s for each in in_time)),
        "not_told": sorted(each.code for each in found if not each.in_time),
    }
