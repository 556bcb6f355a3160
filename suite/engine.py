"""Discard Rack's judge as an engine of the suite: a case for each line on stdin, its answer as a line on stdout.

`python -m suite.engine` runs it here; `suite/engines/browser.mjs` runs the same file in the WebAssembly build.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from events.vocabulary import codec
from replay.fold.table_fold import TableFold
from replay.installed_games import add_installed_games
from replay.run.adjudicate import Conclusion, adjudicate
from replay.transcript.transcript import Script, Timed, fold_script, rules_filed
from rulebook.chapters.rulebook import parse_submission


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Return the answer to a case: the verdict, amounts due and paid, and findings of each round."""
    folds: dict[str, TableFold] = {}
    published: tuple[str, ...] = ()
    answers = []
    for given in case["rounds"]:
        published += tuple(each["payload"]["toml"] for each in given["events"] if each["type"] == "chapter_published")
        book = parse_submission(given["rules"], "rules", given["gaming_day"], published)
        script = Script(
            source=case["id"],
            line=1,
            table=given["table"],
            round_no=given["round_no"],
            gaming_day=given["gaming_day"],
            book=book,
            events=tuple(
                Timed(
                    each["occurred_at_us"],
                    1,
                    codec.decode_payload(each["type"], each["version"], codec.canonical(each["payload"])),
                )
                for each in given["events"]
            ),
            rules=rules_filed(book, given["rules"]),
            order_seen=given["order_seen"],
        )
        round_ = fold_script(folds.setdefault(script.table, TableFold(f"table/{script.table}")), script)
        answers.append(as_answer(adjudicate(round_, book)))
    return {"id": case["id"], "rounds": answers}


def as_answer(conclusion: Conclusion) -> dict[str, Any]:
    """Return a conclusion in the form of the suite."""
    return {
        "verdict": conclusion.verdict,
        "undetermined": list(conclusion.undetermined),
        "due": [{"seat": s.seat, "wager": s.wager, "cents": s.due_cents} for s in conclusion.settlements],
        "done": [{"seat": s.seat, "wager": s.wager, "cents": s.done_cents} for s in conclusion.settlements],
        "findings": [
            {
                "code": each.code,
                "seat": each.seat,
                "wager": each.wager,
                "difference_cents": each.difference_cents or None,
                "section": each.cite,
            }
            for each in conclusion.findings
        ],
    }


def main() -> None:
    """Answer cases until there are no more."""
    add_installed_games()
    for line in sys.stdin:
        sys.stdout.write(json.dumps(answer(json.loads(line)), ensure_ascii=False) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
