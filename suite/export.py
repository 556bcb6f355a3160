"""Make the open suite from the golden rounds: `python -m suite.export --out DIR`.

`rounds.jsonl` has one case for each line: its events as in a log, and the expected result of each round. The schema is
`suite/schema/case.schema.json`. The same golden rounds give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from events.vocabulary import codec
from replay.installed_games import add_installed_games
from replay.transcript.transcript import Script, parse
from tests.golden.rounds import MONEY, GoldenCase, read_cases, round_files

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
FORMAT = "1.0"
"""The version of the form: a new field is a new minor number, a changed meaning a new major one."""


def main() -> int:
    """Write the suite into a folder."""
    parser = argparse.ArgumentParser(description="Make the open suite from the golden rounds.")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "rounds", help="Folder (default: build/rounds).")
    out: Path = parser.parse_args().out
    add_installed_games()
    out.mkdir(parents=True, exist_ok=True)
    cases = list(suite())
    (out / "rounds.jsonl").write_text("".join(json.dumps(each, ensure_ascii=False) + "\n" for each in cases), "utf-8")
    for source in (HERE / "schema" / "case.schema.json", HERE / "rounds.py", ROOT / "docs" / "rounds-suite.md"):
        shutil.copy(source, out)
    shutil.copy(ROOT / "LICENSES" / "CC0-1.0.txt", out / "LICENSE")
    sys.stdout.write(f"{out}: {len(cases):,} cases, format {FORMAT}\n")
    return 0


def suite() -> Iterator[dict[str, Any]]:
    """Yield every golden case."""
    for path in round_files():
        for number, case in enumerate(read_cases(path), 1):
            yield as_case(case, f"{path.parent.name}/{path.stem}/{number}")


def as_case(case: GoldenCase, name: str) -> dict[str, Any]:
    """Return one golden case in the form of the suite."""
    scripts = parse(case.transcript, case.path.name, lambda file: (case.path.parent / file).read_text())
    return {
        "format": FORMAT,
        "id": name,
        "title": case.title,
        "chapter": scripts[0].book.chapter.key,
        "section": re.split(r"[\s(]", case.title)[0],
        "rounds": [as_input(script) for script in scripts],
        "expect": [
            _expected(script, [text.split() for of, text in case.expectations if of == number])
            for number, script in enumerate(scripts, 1)
        ],
    }


def as_input(script: Script) -> dict[str, Any]:
    """Return a round as input for an engine: its table, its number and its events in order."""
    inside, events = False, []
    for each in script.events:
        inside = inside or each.payload.TYPE == "round_opened"
        events.append(
            {
                "type": each.payload.TYPE,
                "version": each.payload.VERSION,
                "round_no": script.round_no if inside else None,
                "occurred_at_us": each.at_us,
                "payload": json.loads(codec.as_json(each.payload)),
            }
        )
    return {
        "table": script.table,
        "round_no": script.round_no,
        "gaming_day": script.gaming_day,
        "order_seen": script.order_seen,
        "rules": script.rules.toml,
        "events": events,
    }


def _expected(script: Script, lines: list[list[str]]) -> dict[str, Any]:
    expected: dict[str, Any] = {"table": script.table, "round_no": script.round_no}
    for kind, *words in lines:
        match kind:
            case "verdict":
                expected["verdict"] = words[0]
                expected.setdefault("findings", [])
            case "due" | "done":
                seat = int(words[0].removeprefix("seat="))
                expected.setdefault(kind, []).append({"seat": seat, "wager": words[1], "cents": _cents(words[2])})
            case "finding":
                expected.setdefault("findings", []).append(_finding(words))
            case "undetermined":
                expected.setdefault("undetermined", []).append(" ".join(words))
    return expected


def _finding(words: list[str]) -> dict[str, Any]:
    found: dict[str, Any] = {"code": words[0], "seat": None, "wager": None, "difference_cents": None}
    for word in words[1:]:
        key, _, value = word.partition("=")
        if key == "seat":
            found["seat"] = int(value)
        elif key in ("wager", "section"):
            found[key] = value
        elif MONEY.fullmatch(word):
            found["difference_cents"] = _cents(word)
    return found


def _cents(word: str) -> int | None:
    if word == "unknown":
        return None
    match = MONEY.fullmatch(word)
    assert match is not None, word
    cents = int(match[2]) * 100 + int(match[3])
    return -cents if match[1] == "-" else cents


if __name__ == "__main__":
    sys.exit(main())
