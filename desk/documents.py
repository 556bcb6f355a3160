"""The documents of this version and their parts, also in an installed copy; those of decisions and findings are made here."""

import re
import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

INSTALLED = ("share", "doc", "discard-rack")
"""The folder of the documents in an environment."""
HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)


def place_of(named: str) -> tuple[str, str | None]:
    """Return the document and the part that a name refers to.

    >>> place_of("docs/alarms.md"), place_of("alarms#severity"), place_of("PAY-UNDER"), place_of("D13")
    (('alarms', None), ('alarms', 'severity'), ('findings', 'pay-under'), ('decisions', 'd13'))
    """
    if re.fullmatch(r"D[0-9]+", named):
        return "decisions", named.lower()
    if re.fullmatch(r"[A-Z]+(-[A-Z]+)+", named):
        return "findings", named.lower()
    name, _, anchor = named.removeprefix("docs/").partition("#")
    return name.removesuffix(".md"), anchor or None


def parts(text: str) -> dict[str, str]:
    """Return the targets of links in a document: each heading with its text, and each entry with an anchor.

    >>> parts("# All\\n\\n## One, two\\na\\n\\n* <a id='x'></a>b\\n* c\\n## Next".replace("'", '"'))["x"]
    '* b'
    """
    found = {}
    headings = list(HEADING.finditer(text))
    for at, heading in enumerate(headings):
        after = (other.start() for other in headings[at + 1 :] if len(other[1]) <= len(heading[1]))
        name = re.sub(r"[^\w -]", "", heading[2]).strip().lower().replace(" ", "-")
        found[name] = text[heading.start() : next(after, len(text))].rstrip()
    for entry in re.finditer(r'^.*<a id="([^"]+)"></a>.*(?:\n(?![*#|\n]).*)*', text, re.MULTILINE):
        found[entry[1]] = re.sub(r'<a id="[^"]+"></a>', "", entry[0])
    return found


def documents() -> Mapping[str, Path]:
    """Return the documents by name: those of the checkout or those installed."""
    folder = Path(__file__).parents[1] / "docs"
    if folder.is_dir():
        return {path.stem: path for path in sorted(folder.glob("*.md"))}
    from importlib.metadata import files

    installed = [file for file in files("discard-rack") or () if file.parts[-4:-1] == INSTALLED]
    return {file.stem: Path(str(file.locate())) for file in sorted(installed)}


# ------------------------------------------------------------------------------------------------ made whole


DECISIONS = """\
# Decisions

Where a regulation or the design leaves room, this is what Discard Rack does. A number is permanent: it is never reused and
never changes its meaning. A decision that changes money is a named setting of the rules submission, or gives the reason why it is
not. One that names neither changes no amount that is due, says what the record proves (which no one can file), or follows a text
that pays the same in any reading. *Named:* there is no setting, and findings name the other reading with its money. A section
without a chapter, such as .11(d), is one of 58 Pa. Code Chapter 688a. The Rules page and `rulebook/decisions.toml` add the
reasons.
"""
SHORT = """
This page gives the first statement of each decision. `rack docs D13` prints a decision whole,
`rack docs decisions` all of them, and so does the website.

This document is generated. To add a decision, append a table to `rulebook/decisions.toml` (its first lines describe the
fields) under the next free number, and run `.venv/bin/python scripts/decisions.py`. Link to a decision as `decisions.md#d13`.
"""
SENTENCE_ENDS = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[A-Z\"'(§`]|\d{3}[ac]\b)")
WORDS_BEFORE_COLON = 8
"""The words before a colon are complete by themselves if they are this many."""


def decisions(source: str | None = None, *, whole: bool = True) -> str:
    """Return the document of the decisions by subject and number, each with its anchor, whole or only its first sentence."""
    text = source or resources.files("rulebook").joinpath("decisions.toml").read_text(encoding="utf-8")
    filed = tomllib.loads(text)
    subjects: Mapping[str, str] = filed.pop("subjects")
    parts = [DECISIONS if whole else DECISIONS + SHORT]
    for key, title in subjects.items():
        of_subject = [number for number in filed if filed[number]["subject"] == key]
        numbers = sorted(of_subject, key=lambda number: int(number[1:]))
        parts += [f"\n## {title}\n\n", *(_entry(number, filed[number], not whole) for number in numbers)]
    return "".join(parts)


def _entry(number: str, decision: Mapping[str, str], short: bool) -> str:
    where, reading = decision["where"], decision["reading"]
    if short:
        where = re.sub(r"(, D[0-9]+)+$", "", where)
        where = re.sub(r"^([.0-9][^,:]*, [^,:]+), [^:]+$", r"\1, …", where)
        reading = _first_statement(reading)
    return (
        f'* <a id="{number.lower()}"></a>**{number}** ({_linked(where)}). '
        f"{_sentence(_linked(reading))}{_money(decision.get('money', ''))}\n"
    )


def _first_statement(reading: str) -> str:
    """Return the first sentence up to a semicolon, or up to a colon after enough words.

    >>> _first_statement("Cards stay (all; also the stub) until they are settled. A hand goes last.")
    'Cards stay (all; also the stub) until they are settled.'
    >>> _first_statement("No finding comes from: a second cut; a later slip.")
    'No finding comes from: a second cut; a later slip.'
    >>> _first_statement("What was returned in time is not at stake: it was withdrawn; so is a raise.")
    'What was returned in time is not at stake'
    """
    first, depth = SENTENCE_ENDS.split(reading)[0], 0
    for at, mark in enumerate(first):
        depth += (mark == "(") - (mark == ")")
        if depth == 0 and first[at : at + 2] in ("; ", ": "):
            says_something = mark == ";" or len(first[:at].split()) >= WORDS_BEFORE_COLON
            return first[:at] if says_something else first
    return first


UNSAID = ("", "none", "record", "text")
"""The sentence on money at the head of the document, which entries do not repeat."""


def _money(money: str) -> str:
    if money in UNSAID:
        return ""
    kind, _, setting = money.partition(" ")
    if kind == "setting":
        return f" *Setting:* `{setting}`."
    if money == "named":
        return " *Named.*"
    return f" *No setting:* {_sentence(_linked(money))}"


def _sentence(words: str) -> str:
    return words if words.endswith((".", "!", "?")) else f"{words}."


def _linked(words: str) -> str:
    return re.sub(r"\bD([1-9][0-9]{0,3})\b", r"[D\1](#d\1)", words)


FINDINGS = """# Findings

Every code that a verdict may name, with its severity{said}.
The [evidence pages](evidence.md) say which events show each one, by section. This document is generated:
`.venv/bin/python -m scripts.findings`. Link to a code as `findings.md#pay-under`.

"""
SAID = (
    " and what the rules that find it say",
    ".\n`rack docs PAY-UNDER` prints what the rules that find one say (all: `rack docs findings`)",
)


def findings(*, whole: bool = True) -> str:
    """Return the document of the findings: every code with its anchor and title, and if whole what its rules say."""
    from replay.installed_games import add_installed_games
    from replay.narrative.findings import finding_title
    from replay.rules.rule import SEVERITY
    from replay.transcript.entry import explanations
    from rulebook.catalogue import finding_kinds

    add_installed_games()
    severities = {code: kind.severity for code, kind in finding_kinds().items()} | SEVERITY
    text = FINDINGS.format(said=SAID[not whole])
    for code, sentences in explanations().items():
        severity = f" ({severities[code]})" if code in severities else ""  # a broken log has none: nothing is judged there
        said = f". {' '.join(sentences)}" if whole else ""
        text += f'* <a id="{code.lower()}"></a>**{code}**: {finding_title(code)}{severity}{said}\n'
    return text
