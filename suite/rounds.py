"""Run an engine against the open suite: `python rounds.py run [--suite FILE] [--json] -- COMMAND …`. It needs only Python.

The engine gets a case a line on stdin, {"id", "rounds": [{"table", "round_no", "gaming_day", "order_seen", "rules", "events"}]},
and answers each with a line on stdout: {"id", "rounds": [{"verdict", "due", "done", "findings", "undetermined"}]}, or {"id",
"declined": why}. It may leave out any of these, and any wager: what it does not answer counts as silent, what it answers
otherwise as different. A round is known by its place among those of its case.

Exit status: 0 nothing differs, 1 something does, 3 the engine ended or answered something else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

OUTCOMES = ("same", "silent", "declined", "different")


def main(words: list[str] | None = None) -> int:
    """Run the engine over every case and print a table by chapter and section."""
    parser = argparse.ArgumentParser(description="Run an engine against the open suite of rounds.")
    parser.add_argument("run", choices=["run"])
    parser.add_argument("--suite", type=Path, default=Path(__file__).resolve().parent / "rounds.jsonl")
    parser.add_argument("--only", default="", help="Only cases whose id begins with this, such as 688a/12b.")
    parser.add_argument("--json", action="store_true", help="Print every outcome as JSON.")
    parser.add_argument("engine", nargs="+", metavar="COMMAND", help="The engine, after --.")
    given = parser.parse_args(words)
    with given.suite.open(encoding="utf-8") as lines:
        cases = [case for case in map(json.loads, lines) if case["id"].startswith(given.only)]
    try:
        found = [(case, *outcome(case, said)) for case, said in zip(cases, answers(given.engine, cases), strict=True)]
    except (OSError, ValueError) as error:
        print(f"rounds: {' '.join(given.engine)}: {error}", file=sys.stderr)
        return 3
    if given.json:
        print(json.dumps([{"id": case["id"], "outcome": name, "why": why} for case, name, why in found], indent=1))
    else:
        print(*table(found), sep="\n")
        print(*(f"{case['id']}: {case['title']}: {why}" for case, name, why in found if name == "different"), sep="\n")
    return 1 if any(name == "different" for _, name, _ in found) else 0


def answers(engine: list[str], cases: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the engine's answer to each case, in order. Raises `ValueError` if it does not answer."""
    with subprocess.Popen(engine, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asking = threading.Thread(target=_ask, args=(process.stdin, cases), daemon=True)
        asking.start()
        for case in cases:
            line = process.stdout.readline()
            said = json.loads(line) if line else None
            if not isinstance(said, dict) or said.get("id") != case["id"]:
                process.kill()
                raise ValueError(f"no answer to {case['id']}, but {line[:200]!r}")
            yield said
        asking.join()


def _ask(stdin: Any, cases: Iterable[dict[str, Any]]) -> None:
    try:
        for case in cases:
            stdin.write(json.dumps({"id": case["id"], "rounds": case["rounds"]}, ensure_ascii=False) + "\n")
        stdin.close()
    except OSError:
        pass  # the engine ended: the reader of its answers says so


def outcome(case: dict[str, Any], said: dict[str, Any]) -> tuple[str, str]:
    """Return the outcome of an answer, and the reason if it differs or was declined."""
    if "declined" in said:
        return "declined", str(said["declined"])
    silent = False
    for expected, given in zip(case["expect"], said["rounds"], strict=True):
        for kind in ("due", "done"):
            known = {(each["seat"], each["wager"]): each["cents"] for each in given.get(kind, [])}
            for each in expected.get(kind, []):
                key = each["seat"], each["wager"]
                if key not in known:
                    silent = True
                elif known[key] != each["cents"]:
                    return "different", f"{kind} seat {key[0]} {key[1]}: {known[key]}, expected {each['cents']}"
        for kind in ("verdict", "findings", "undetermined"):
            if kind not in expected:
                continue
            if kind not in given:
                silent = True
            elif not _same(kind, expected[kind], given[kind]):
                return "different", f"{kind}: {given[kind]}, expected {expected[kind]}"
    return ("silent", "") if silent else ("same", "")


def _same(kind: str, expected: Any, given: Any) -> bool:
    if kind != "findings":
        return bool(expected == given)
    keys = ("code", "seat", "wager", "difference_cents")
    plain = [sorted(json.dumps([each.get(key) for key in keys]) for each in some) for some in (expected, given)]
    sections = {each["section"] for each in expected if "section" in each}
    return plain[0] == plain[1] and all(any(each["section"].endswith(f"§ {name}") for each in given) for name in sections)


def table(found: list[tuple[dict[str, Any], str, str]]) -> list[str]:
    """Return the numbers of same, silent, declined and different cases for each chapter and section."""
    counts: dict[tuple[str, str], Counter[str]] = {}
    for case, name, _ in found:
        counts.setdefault((case["chapter"], case["section"]), Counter())[name] += 1
        counts.setdefault((case["chapter"], "all"), Counter())[name] += 1
    rows: list[tuple[str, ...]] = [("chapter", "section", "cases", *OUTCOMES)]
    for (chapter, section), each in sorted(counts.items(), key=lambda row: (row[0][0], row[0][1] != "all", row[0][1])):
        rows.append((chapter, section, str(each.total()), *(str(each[name]) for name in OUTCOMES)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(word.ljust(width) for word, width in zip(row, widths, strict=True)).rstrip() for row in rows]


if __name__ == "__main__":
    sys.exit(main())
