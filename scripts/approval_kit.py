"""The documents that a laboratory needs to approve a version, as one page to print: `make kit` (58 Pa. Code § 461a.4).

All of it is derived: digests of the code that decides verdicts, the chapters, the tests with their sources, the controls, the
bill of materials of `make sbom`, the digests of `make release`, and how to repeat each of them. Missing parts are named.
"""

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from html import escape
from pathlib import Path

import discard_rack
from replay.installed_games import add_installed_games
from replay.run.engine import deciding_files, engine, engine_of
from rulebook.catalogue import GAMES

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "approval-kit.html"
STYLE = """
body { font: 9.5pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: .4rem 0 1rem; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid #bbb; padding: 2px 8px 2px 0; overflow-wrap: anywhere; }
th { overflow-wrap: normal; } h2 { break-after: avoid; } tr { break-inside: avoid; } thead { display: table-header-group; }
code { font-size: 8.5pt; } .sign td { height: 2.2rem; }
@page { margin: 18mm; } @media print { body { margin: 0; max-width: none; } }
"""
REPEAT = (
    ("git checkout COMMIT && make release", "the same digests as in part 1, from the committed files alone"),
    ("make sbom", "the bill of materials of part 6"),
    ("make check", "format, lint, types and every test of parts 4 and 5 pass, with a real broker and a real browser"),
    ("make mutants", "every seeded defect in what judges is found by a golden round"),
    ("make rounds", "the golden rounds as language-neutral JSON, answered by the judge: 0 different"),
    ("python build/rounds/rounds.py run -- YOUR-ENGINE", "the same rounds, answered by an engine of your own"),
    ("make site", "the judge in a browser, and its digest; a test gives every golden round to it"),
    (
        "rack demo && rack verify --verdicts",
        "a simulated day with planted faults: all are found, every verdict is the same again",
    ),
)
"""Command → what it shows."""


def main() -> int:
    """Write the kit."""
    add_installed_games()
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(kit(), encoding="utf-8")
    sys.stderr.write(f"{OUT}\n")
    return 0


def kit() -> str:
    """Return the page."""
    title = f"Discard Rack {discard_rack.__version__}: for testing and approval"
    return "".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            f"<title>{title}</title><style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n",
            "<p>58 Pa. Code § 461a.4, and rules like it. This page states what the program is and how to repeat its tests. ",
            "It is no approval, and no test result: a laboratory runs the commands of part 7 itself.</p>\n",
            *_part("1. What is submitted", ("", ""), _identification()),
            *_part("2. What decides a verdict, by game", ("Game", "Engine", "Files"), _engines()),
            *_part("3. Chapters", ("Chapter", "Title", "Published", "In force from", "SHA-256 of its file"), _chapters()),
            *_part("4. Golden rounds, worked out by hand from the text", ("File", "Rounds", "SHA-256"), _golden()),
            *_part("5. Other tests", ("File", "What it is about"), _tests()),
            *_part("6. Bill of materials", ("Distribution", "Version", "License"), _materials()),
            *_part("7. How to repeat it", ("Command", "What it shows"), REPEAT),
            *_part("8. Controls", ("Section", "Requirement", "Answer", "Tests"), _controls()),
            "<h2>9. Tested by</h2>\n<table class='sign'><tr><th>Laboratory</th><td></td><th>Report</th><td></td></tr>",
            "<tr><th>Name, signature</th><td></td><th>Date</th><td></td></tr></table>\n</body></html>\n",
        ]
    )


def _part(title: str, heads: tuple[str, ...], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    named = "".join(f"<th>{escape(each)}</th>" for each in heads)
    yield f"<h2>{escape(title)}</h2>\n<table><thead><tr>{named}</tr></thead><tbody>\n"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>\n"
    yield "</tbody></table>\n"


def _identification() -> Iterator[tuple[str, str]]:
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False).stdout
    yield "Version", discard_rack.__version__
    yield ("Commit", (commit.strip() or "not in a repository") + (", with changes that are not committed" if changed else ""))
    yield "Engine (all that decides a verdict)", engine()
    sums = ROOT / "dist" / "SHA256SUMS"
    if not sums.exists():
        yield "Release", "not built: make release"
        return
    for line in sums.read_text().splitlines():
        digest, name = line.split()
        yield name, f"SHA-256 {digest}"


def _engines() -> Iterator[tuple[str, str, str]]:
    for game in GAMES:
        yield game, engine_of(game), str(len(deciding_files(ROOT, game)))


def _chapters() -> Iterator[tuple[str, ...]]:
    for path in sorted(ROOT.glob("games/*/chapters/*.toml")):
        content = path.read_bytes()
        stated = tomllib.loads(content.decode())
        like = str(stated.get("like", ""))
        title = str(stated.get("title", f"as {like}" if like else ""))
        yield (path.stem, title, str(stated.get("published", "")), str(stated.get("effective", "")), sha256(content).hexdigest())


def _golden() -> Iterator[tuple[str, str, str]]:
    for path in sorted(ROOT.glob("games/*/rounds/*/*.rounds")):
        content = path.read_bytes()
        yield (
            str(path.relative_to(ROOT)),
            str(content.count(b"\n=== ") + content.startswith(b"=== ")),
            sha256(content).hexdigest(),
        )


def _tests() -> Iterator[tuple[str, str]]:
    for path in sorted(ROOT.glob("tests/**/test_*.py")):
        about = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        yield str(path.relative_to(ROOT)), about.partition("\n\n")[0].replace("\n", " ")


def _materials() -> Iterator[tuple[str, str, str]]:
    place = ROOT / "build" / "sbom.json"
    if not place.exists():
        yield "not built: make sbom", "", ""
        return
    for each in json.loads(place.read_bytes()).get("components", ()):
        held = (
            license_.get("expression") or license_["license"].get("id") or license_["license"].get("name")
            for license_ in each.get("licenses", ())
        )
        yield (each["name"], each.get("version", ""), ", ".join(dict.fromkeys(str(name).partition("\n")[0] for name in held)))


def _controls() -> Iterator[tuple[str, str, str, str]]:
    for path in sorted(ROOT.glob("docs/controls/*.toml")):
        for each in tomllib.loads(path.read_text("utf-8"))["control"]:
            answer = each.get("answer") or (
                f"Not ours: {each['not_ours']}" if "not_ours" in each else f"Text not held: {each['not_held']}"
            )
            yield each["section"], each["requirement"], answer, ", ".join(each.get("tests", ()))


if __name__ == "__main__":
    sys.exit(main())
