"""`property.toml`: a property in one file that people write; read strictly, with the line of each fault.

Invariant: leaving something out removes nothing. `closed = 2027-01-31` ends a table or person for good.
"""

import re
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NoReturn
from urllib.parse import quote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import Meta

from desk.alarms.settings import MailAddress, MailServer
from desk.review.cameras import WEEK_MS, System
from desk.review.persons import Person, Persons, ReviewRefused
from events.log.plain_file import MOST_TOML, read_plain, toml_in
from events.open import parse_address
from replay.findings import Severity
from rulebook.chapters.rulebook import Rulebook, RulesRefused, parse_submission

FILE: Final = "property.toml"
KAFKA: Final = "kafka://"
"""The beginning of an address of a log on Kafka."""
Id = Annotated[str, Meta(pattern=r"\A[a-z0-9-]{1,32}\Z")]
_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_ON_KAFKA = re.compile(r"kafka://[A-Za-z0-9.,:\[\]-]{1,400}/[A-Za-z0-9._-]{1,100}", re.ASCII)
_FIELD = re.compile(r"field `([^`]+)`")
EXPECTED: Final = {
    r"\A[a-z0-9-]{1,32}\Z": "an id of a to z, 0 to 9 and -, at most 32 long",
    r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z": "a time such as 06:00",
    r"\A[A-Z]{3}\Z": "a currency of three capital letters, such as USD",
    r"\A[^\s@<>,;]{1,64}@[A-Za-z0-9.-]{1,190}\Z": "an address such as shift@bellwether.example",
    r"\A(https://[a-z0-9.-]+(:[0-9]{1,5})?|http://localhost(:[0-9]{1,5})?)\Z": (
        "an address such as https://rack.example, or, for this machine alone, http://localhost:8501"
    ),
}
"""Pattern → what people are told that was expected."""
NO_HUNDREDTHS: Final = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF BHD IQD JOD KWD LYD OMR TND CLF UYW"
"""Currencies (ISO 4217) whose smallest unit is not a hundredth: the record counts money in hundredths."""


class _Strict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    pass


class House(_Strict, frozen=True, kw_only=True):
    """The property. `filing`: only its `office` files rules, or `devices` too. `log`: its file, or its address on Kafka."""

    id: Id
    name: Annotated[str, Meta(min_length=1, max_length=400)]
    time_zone: str
    cutover: Annotated[str, Meta(pattern=r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z")]
    currency: Annotated[str, Meta(pattern=r"\A[A-Z]{3}\Z")]
    first_day: date
    filing: Literal["office", "devices"] = "office"
    log: str = "floor.db"


class Table(_Strict, frozen=True, kw_only=True):
    """A table, its rules file, and its pit for reports; `closed`: the gaming day on which it ceases to exist."""

    id: Id
    rules: str
    pit: str | None = None
    closed: date | None = None


class Member(_Strict, frozen=True, kw_only=True):
    """A person of the house; `closed`: the day from which the person does nothing here."""

    id: str
    name: str
    roles: tuple[str, ...]
    accounts: tuple[str, ...] = ()
    closed: date | None = None


class CameraEntry(_Strict, frozen=True, kw_only=True):
    """A camera and the tables that it sees."""

    id: Id
    sees: Annotated[tuple[Id, ...], Meta(min_length=1)]
    clock_offset_ms: Annotated[int, Meta(ge=-WEEK_MS, le=WEEK_MS)] = 0
    system: str | None = None
    name: str | None = None
    closed: date | None = None


class MailRoute(_Strict, frozen=True, kw_only=True):
    """The incidents that are mailed, and their receivers."""

    to: Annotated[tuple[MailAddress, ...], Meta(min_length=1, max_length=20)]
    severity: Severity = "low"
    codes: Annotated[tuple[str, ...], Meta(min_length=1)] = ("*",)
    tables: Annotated[tuple[str, ...], Meta(min_length=1)] = ("*",)


class Key(_Strict, frozen=True, kw_only=True):
    """The file of the key that signs for the log."""

    file: str = "log.key"


class WitnessFiles(_Strict, frozen=True, kw_only=True):
    """The witness's own folder and key; they belong on another machine."""

    folder: str = "witness"
    key: str = "witness.key"


class Backup(_Strict, frozen=True, kw_only=True):
    """The folder of the archive, and the local time at which each day is sealed."""

    folder: str = "archive"
    at: Annotated[str, Meta(pattern=r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z")] = "07:00"


class SignIn(_Strict, frozen=True, kw_only=True):
    """The pages' own sign-in: the public address of the pages, and the port of their server on this machine."""

    address: Annotated[str, Meta(pattern=r"\A(https://[a-z0-9.-]+(:[0-9]{1,5})?|http://localhost(:[0-9]{1,5})?)\Z")]
    port: Annotated[int, Meta(ge=1, le=65_535)] = 8501


class Form(_Strict, frozen=True, kw_only=True):
    """The whole file."""

    form: Literal["discard-rack property 1"]
    property: House
    table: Annotated[tuple[Table, ...], Meta(min_length=1)]
    person: Annotated[tuple[Member, ...], Meta(min_length=1)]
    camera: tuple[CameraEntry, ...] = ()
    system: dict[str, System] = {}
    mail: MailServer | None = None
    route: tuple[MailRoute, ...] = ()
    sign_in: SignIn | None = None
    key: Key | None = None
    witness: WitnessFiles | None = None
    backup: Backup | None = None


class Property(msgspec.Struct, frozen=True, kw_only=True):
    """A property as its file states it, with the accepted rules of each table."""

    folder: Path
    form: Form
    sha256: str
    rules: dict[str, Rulebook]
    """File of rules → what it says."""

    @property
    def persons(self) -> Persons:
        """The people for the register; for one who left, only the id and the name."""
        return Persons(
            [
                Person(id=each.id, name=each.name)
                if each.closed is not None
                else Person(id=each.id, name=each.name, accounts=each.accounts, roles=each.roles)
                for each in self.form.person
            ],
            str(self.folder / FILE),
        )

    @property
    def log_file(self) -> Path | None:
        """The file of the log; None if it is on Kafka."""
        log = self.form.property.log
        return None if log.startswith(KAFKA) else self.folder / log

    @property
    def address(self) -> str:
        """The address of the log."""
        file = self.log_file
        return self.form.property.log if file is None else f"sqlite://{quote(file.resolve().as_posix())}"


def house_folder(address: str) -> Path | None:
    """Return the folder of the property's file, which is next to its log; None if there is no such file."""
    backend, place = parse_address(address)
    found = Path(place).parent
    return found if backend == "sqlite" and (found / FILE).is_file() else None


def closed_tables(folder: Path | None) -> dict[str, str]:
    """Return table → its closing gaming day. An unreadable file closes no table: it must not keep the pit from its entries."""
    try:
        made = None if folder is None else read_property(folder)
    except ReviewRefused:
        made = None
    return {each.id: each.closed.isoformat() for each in (made.form.table if made else ()) if each.closed is not None}


def read_property(folder: Path) -> Property:
    """Read the file in a folder and its rules. Raises `ReviewRefused`, which names file, line, key and what was expected."""
    path = folder / FILE
    try:
        data = read_plain(path, MOST_TOML + 1)
        content, text = toml_in(data), data.decode()
    except FileNotFoundError:
        raise ReviewRefused(f"{path}: no such file; `rack init {folder}` makes one") from None
    except ValueError as error:
        raise ReviewRefused(f"{path}: expected TOML: {error}") from error
    try:
        form = msgspec.convert(content, Form)
    except msgspec.ValidationError as error:
        found = _PLACE.match(str(error))
        what, place = (found["what"], found["path"] or "") if found is not None else (str(error), "")
        field = _FIELD.search(what)
        refuse(path, text, f"{place}.{field[1]}" if field is not None else place, _plain(what))
    return _checked(path, text, form, sha256(data).hexdigest())


def _plain(what: str) -> str:
    for pattern, expected in EXPECTED.items():
        if pattern in what or pattern.encode("unicode_escape").decode() in what:
            return f"expected {expected}"
    return re.sub(r"^Object contains unknown", "no such", re.sub(r"^Object missing required field.*", "missing", what))


def refuse(path: Path, text: str, place: str, why: str) -> NoReturn:
    """Raise `ReviewRefused` for a place in the file, such as `.table[1].rules`."""
    key = place.lstrip(".") or "(whole file)"
    raise ReviewRefused(f"{path}:{line_of(text, place)}: {key}: {why}")


def line_of(text: str, place: str) -> int:
    """Return the line number of a place in a TOML text: of its key, else of its table, else the first.

    >>> line_of('a = 1\\n[[table]]\\nid = "x"\\n\\n[[table]]\\nid = "y"\\n', ".table[1].id")
    6
    """
    parts = re.findall(r"\.([A-Za-z0-9_-]+)|\[(\d+)\]", place)
    names = [name for name, _ in parts if name]
    number = next((int(index) for _, index in parts if index), 0)
    seen: dict[str, int] = {}
    best, inside = 1, len(names) == 1
    for at, line in enumerate(text.splitlines(), 1):
        header = re.match(r"\s*(\[\[?)\s*([A-Za-z0-9_.\-]+)\s*\]\]?", line)
        if header is not None:
            name = header[2].split(".")[0]
            seen[name] = seen.get(name, -1) + 1
            inside = bool(names) and name == names[0] and (header[1] == "[" or seen[name] == number)
            if inside:
                best = at
        elif inside and names and re.match(rf"\s*{re.escape(names[-1])}\s*=", line):
            return at
    return best


def _checked(path: Path, text: str, form: Form, digest: str) -> Property:
    def refused(place: str, why: str) -> NoReturn:
        refuse(path, text, place, why)

    try:
        ZoneInfo(form.property.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        refused(".property.time_zone", f"{form.property.time_zone!r}: expected a zone such as America/New_York")
    if form.property.currency in NO_HUNDREDTHS.split():
        refused(".property.currency", f"{form.property.currency} has no hundredths, in which all money is counted (D1442)")
    log = form.property.log
    if _ON_KAFKA.fullmatch(log) is None and ("/" in log or not log.endswith(".db")):
        refused(
            ".property.log",
            f"{log!r}: expected the name of a file next to this one, such as floor.db, or kafka://host:port/prefix",
        )
    for kind in ("table", "person", "camera"):
        _each_once(kind, getattr(form, kind), refused)
    tables = {table.id for table in form.table}
    for number, camera in enumerate(form.camera):
        unknown = sorted(set(camera.sees) - tables)
        if unknown:
            refused(f".camera[{number}].sees", f"there is no table {unknown[0]!r}: expected {', '.join(sorted(tables))}")
        if camera.system is not None and camera.system not in form.system:
            refused(f".camera[{number}].system", f"there is no [system.{camera.system}]")
    if form.route and form.mail is None:
        refused(".route[0].to", "a route needs [mail], the server that takes e-mail")
    rules = _rules(path.parent, form, refused)
    made = Property(folder=path.parent, form=form, sha256=digest, rules=rules)
    try:
        _ = made.persons
    except ReviewRefused as error:
        number = next((at for at, each in enumerate(form.person) if each.id in str(error)), 0)
        refused(f".person[{number}].id", str(error).removeprefix(f"{path}: "))
    return made


def _each_once(kind: str, entries: tuple[Any, ...], refused: Any) -> None:
    seen: set[str] = set()
    for number, entry in enumerate(entries):
        if entry.id in seen:
            refused(f".{kind}[{number}].id", f"{entry.id!r} is listed twice; give each {kind} an id of its own")
        seen.add(entry.id)


def _rules(folder: Path, form: Form, refused: Any) -> dict[str, Rulebook]:
    """Read the rules of all tables. Raises `ReviewRefused`."""
    books: dict[str, Rulebook] = {}
    for number, table in enumerate(form.table):
        place = f".table[{number}].rules"
        if table.rules not in books:
            try:
                books[table.rules] = parse_submission(read_plain(folder / table.rules, MOST_TOML).decode(), table.rules)
            except FileNotFoundError:
                refused(place, f"{folder / table.rules}: no such file; expected a rules submission (TOML)")
            except (RulesRefused, UnicodeDecodeError) as error:
                refused(place, f"the rules are refused: {error}")
        if date.fromisoformat(books[table.rules].effective_gaming_day) < form.property.first_day:
            refused(
                place,
                f"{table.rules} takes effect on {books[table.rules].effective_gaming_day}, before the property's first day "
                f"{form.property.first_day}; expected that day or a later one",
            )
    return books
