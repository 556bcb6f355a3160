"""A property from nothing: six answers become `property.toml` and a filing for each game, which people then complete.

Invariant: an existing file is never overwritten; a refusal leaves nothing behind.
"""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from desk.house.filing import Returns
from desk.house.plan import Plan, apply, make_plan
from desk.house.property_file import FILE, Property, read_property
from desk.house.property_setup import running_files
from desk.keys import KeyBook
from desk.review.persons import LONGEST_TOKEN, ReviewRefused
from events.errors import EventError
from events.open import open_log
from rulebook.chapters.chapters import Chapter, chapter, known_chapters
from rulebook.chapters.submission import submission_from_words

QUESTIONS: Final = {
    "name": "Name of the property",
    "zone": "Time zone (such as America/New_York)",
    "cutover": "The gaming day begins at (such as 06:00)",
    "currency": "Currency (such as USD)",
    "first_day": "First gaming day (such as 2026-11-29)",
    "tables": "Tables (such as 3 face_up_pai_gow, 1 dj_wild)",
}
"""Answer → the question that asks for it."""
DEFAULTS: Final = {"cutover": "06:00", "currency": "USD"}
PEOPLE: Final = "Your people, by their names (such as Maria Ortiz, Sam Kane)"
"""How the answer `people` is asked for. Without it two examples are written, which people replace."""
EXAMPLES: Final = [("person-1", "Person 1"), ("person-2", "Person 2")]
LIMITS: Final = ("15.00", "1000.00")
"""The limits of a new filing, to be changed before filing."""


class TableGroup(NamedTuple):
    """A number of tables of a game, by its chapter; `prefix` begins their ids."""

    number: int
    chapter: Chapter
    prefix: str


def games_in_force() -> dict[str, Chapter]:
    """Return game → the chapter for its new filings."""
    games: dict[str, Chapter] = {}
    for known in known_chapters():
        listed = chapter(*known.split("-", 1))
        if listed.in_force:
            games.setdefault(listed.game, listed)
    return games


def kinds(text: str) -> list[TableGroup]:
    """Read `3 face_up_pai_gow, 1 dj_wild`. Raises `ReviewRefused`.

    >>> [(each.number, each.chapter.key, each.prefix) for each in kinds("3 face_up_pai_gow, 1 dj_wild, 1 over_under")]
    [(3, 'pa-688a', 'fu'), (1, 'pa-687a', 'dw'), (1, 'pa-686a', 'ou')]
    """
    games = games_in_force()
    found: list[TableGroup] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*([1-9][0-9]{0,2})\s+([a-z0-9_]+)\s*", part, re.ASCII)
        if match is None or match[2] not in games:
            raise ReviewRefused(
                f"tables: {part.strip()!r}: expected a number and a game, as in 3 face_up_pai_gow; games are {', '.join(games)}"
            )
        if any(each.chapter.game == match[2] for each in found):
            raise ReviewRefused(f"tables: {match[2]} is given twice; add the numbers up")
        prefix = _prefix(match[2], {each.prefix for each in found})
        found.append(TableGroup(int(match[1]), games[match[2]], prefix))
    return found


def _prefix(game: str, taken: set[str]) -> str:
    words = game.split("_")
    prefix = (words[0][0] + words[1][0]) if len(words) > 1 else game[:2]
    number = 2
    while prefix in taken:
        prefix, number = f"{prefix[:2]}{number}", number + 1
    return prefix


def begin(folder: Path, answers: Mapping[str, str]) -> list[Path]:
    """Write the files of a new property into a folder; return them. Raises `ReviewRefused`, and then writes nothing."""
    if (folder / FILE).exists():
        raise ReviewRefused(f"{folder / FILE} exists already; change that, then `rack plan {folder}`")
    try:
        first_day = date.fromisoformat(answers["first_day"]).isoformat()
    except ValueError:
        raise ReviewRefused(f"first day: {answers['first_day']!r}: expected a day, as in 2026-11-29") from None
    made = {FILE: property_text(answers, first_day)}
    for kind in kinds(answers["tables"]):
        made[f"rules/{kind.chapter.game}.toml"] = filing_text(kind.chapter, first_day)
    written = []
    try:
        for name, text in made.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists():
                raise ReviewRefused(f"{path} exists already; move it away, or begin in an empty folder")
            written.append(path)
            path.write_text(text, encoding="utf-8")
        read_property(folder)
    except ReviewRefused:
        _remove(written)
        raise
    return written


def preview(answers: Mapping[str, str], returns: Returns) -> Plan:
    """Return the plan of `make_house`. Raises `ReviewRefused`; nothing stays on disk."""
    with _trial(answers) as made:
        return make_plan(made, None, returns)


def make_house(folder: Path, answers: Mapping[str, str], returns: Returns, *, now_us: int) -> Plan:
    """Begin a property, apply it and make its log's key in its first person's name. Raises `ReviewRefused` and `EventError`."""
    with _trial(answers) as made:
        assert made.form.key is not None, "`property_text` names the key"
        key = made.form.key.file
        files = [
            FILE,
            made.form.property.log,
            *(key, f"{key}.pub"),
            *(str(each.path.relative_to(made.folder)) for each in running_files(made)),
        ]
    if there := [name for name in files if (folder / name).exists()]:
        raise ReviewRefused(f"{', '.join(there)}: in {folder} already; move this away, or begin a property in an empty folder")
    written = begin(folder, answers)
    try:
        made = read_property(folder)
        with closing(open_log(made.address, create=True, property_id=made.form.property.id)) as log:
            plan = apply(made, log, returns, by=made.form.person[0].id, now_us=now_us)
            KeyBook(log).add_first(folder / key, made.persons.known(made.form.person[0].id).token)
    except (ReviewRefused, EventError):
        _remove(written)
        raise
    for each in plan.files:
        each.write()
    return plan


@contextmanager
def _trial(answers: Mapping[str, str]) -> Iterator[Property]:
    """Yield a property made from answers in a temporary folder, which `ReviewRefused` does not name."""
    with TemporaryDirectory() as folder:
        try:
            begin(Path(folder), answers)
        except ReviewRefused as error:
            raise ReviewRefused(str(error).replace(f"{folder}/", "")) from None
        yield read_property(Path(folder))


def _remove(written: Sequence[Path]) -> None:
    for path in written:
        path.unlink(missing_ok=True)


def people_of(text: str) -> list[tuple[str, str]]:
    """Return the id and name of each person in a list.

    >>> people_of("Maria Ortiz, José Núñez, 王")
    [('maria.ortiz', 'Maria Ortiz'), ('jose.nunez', 'José Núñez'), ('person-3', '王')]
    """
    names = [" ".join(name.split()) for name in text.split(",") if name.strip()]
    found = []
    for number, name in enumerate(names, 1):
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        found.append((".".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST_TOKEN] or f"person-{number}", name))
    return found


def property_text(answers: Mapping[str, str], first_day: str) -> str:
    """Return the property file from six answers; comments show what is still to be filled in."""
    name = answers["name"].strip()
    identity = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32] or "house"
    tables = [
        (f"{kind.prefix}-{number:02d}", kind.chapter.game)
        for kind in kinds(answers["tables"])
        for number in range(1, kind.number + 1)
    ]
    lines = [
        'form = "discard-rack property 1"',
        "",
        "[property]",
        f"id = {_quoted(identity)}",
        f"name = {_quoted(name)}",
        f"time_zone = {_quoted(answers['zone'].strip())}",
        f"cutover = {_quoted(answers['cutover'].strip())}",
        f"currency = {_quoted(answers['currency'].strip().upper())}",
        f"first_day = {first_day}",
        "",
    ]
    for table, game in tables:
        lines += ["[[table]]", f'id = "{table}"', f'rules = "rules/{game}.toml"']
    lines += ["", "# Your people, two at least. Roles: administrator, compliance, pit, count, surveillance, analyst, auditor."]
    for id_, person in people_of(answers.get("people") or "") or EXAMPLES:
        roles = '["administrator", "compliance", "pit", "count", "surveillance"]'
        lines += ["[[person]]", f'id = "{id_}"', f"name = {_quoted(person)}", f"roles = {roles}"]
    seen = ", ".join(f'"{table}"' for table, _ in tables)
    lines += [
        "",
        "[[camera]]",
        'id = "cam-1"',
        f"sees = [{seen}]",
        "",
        "# [mail]                  # who gets mail about incidents; without it no one does",
        '# host = "mail.example"',
        '# from = "rack@example.com"',
        "# [[route]]",
        '# to = ["shift@example.com"]',
        "",
        "[sign_in]                 # how people reach the pages: behind a proxy with TLS https://rack.example, say",
        f'address = "http://localhost:{answers.get("port") or 8501}"',
        *([f"port = {port}"] if (port := answers.get("port")) else []),
        '[key]                     # what signs the log; file = "log.key"',
        '[witness]                 # who else can vouch for it, better on another machine; folder = "witness"',
        '[backup]                  # every closed day, sealed, better on another disk; folder = "archive", at = "07:00"',
    ]
    return "\n".join(lines) + "\n"


def filing_text(listed: Chapter, first_day: str) -> str:
    """Return a filing with the wagers that a game requires; comments offer the others."""
    words = [
        listed.key,
        f"name={listed.game.replace('_', ' ')}",
        f"effective={first_day}",
        f"min={LIMITS[0]}",
        f"max={LIMITS[1]}",
    ]
    lines = [f"# {listed.title}: what this house files. `rack rules list` has every wager and paytable."]
    for wager in listed.wagers.values():
        if not wager.always and wager.of is None:
            tables = ", ".join(wager.paytables)
            lines.append(f"# to offer [wagers.{wager.name}]: min, max" + (f", paytable (one of {tables})" if tables else ""))
    return "\n".join(lines) + "\n" + submission_from_words(words)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
