"""The chapters of the regulation as data: paytables, limits, dates, each with its section.

The numbers are in `games/<game>/chapters/<jurisdiction>-<chapter>.toml`; this file gives them a shape and holds no number of
its own. A rules submission (`rulebook.chapters.rulebook`) chooses among them.
"""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from functools import cache
from hashlib import sha256
from typing import Any, Final, Literal

import msgspec

from rulebook.cards.ranking import Wheel
from rulebook.chapters.chapter_files import add_table, amendment_texts, chapter_names, remove_table, table_of
from rulebook.chapters.chapter_form import SHARED_NUMBERS, Closes, FindingKind, Unit, fault_of
from rulebook.chapters.citation import Citation, cite
from rulebook.chapters.editions import Amendment, amended, in_force, read_amendment
from rulebook.chapters.lent import cited, with_lent
from rulebook.chapters.money import Odds, parse_money
from rulebook.chapters.paytables import PayLine, Paytable

LAST_DAY: Final = "9999-12-31"
"""A gaming day on which every amendment is in force."""
GUIDE: Final = "docs/adding-a-game.md says what a chapter has"
SUBMISSIONS: Final = Citation("58 Pa. Code § 601a.2")
REFERENCE: Final = "688a"
"""The chapter by whose section numbers the shared rules go."""


class RulesRefused(ValueError):
    """The chapter does not allow a rules submission: names the file, the key, the reason and the section."""

    def __init__(self, source: str, key: str, message: str, section: str) -> None:
        key, message = _clipped(key, 100), _clipped(message, 1000)
        super().__init__(f"{source}: {key}: {message} ({section})")
        self.source = source
        self.key = key
        self.message = message
        self.section = section


def _clipped(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"


class WagerRule(msgspec.Struct, frozen=True, kw_only=True):
    """A wager that the chapter knows; `odds` if they are the same for all (the base wager).

    `always`: it is part of the game and need not be filed. `of`: its amount is `times` that of another wager. `closes`: the
    latest time to place it, by `closes_cite` if the chapter has a section on that. `stands`: the reasons of a void despite which
    it is settled ("*": every; "settled": every, if it was settled before the void; D23). `needs`: the wager, or the setting,
    without which it is not offered. `follows`: the wagers of a box that are settled before it, by `follows_cite` if that is not
    only the first. `within`: the wager whose highest limit it may not exceed.
    """

    name: str
    cite: Citation
    odds: Odds | None
    odds_cite: Citation
    paytables: tuple[str, ...]
    always: bool
    of: str | None
    times: int
    closes: Closes
    closes_cite: Citation | None
    within: str | None
    stands: tuple[str, ...]
    needs: str | None
    follows: tuple[str, ...]
    follows_cite: Citation | None


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One way of dealing, shuffling or finding the start; `needs_shuffler` is the section that demands a shuffler.

    `without`: the sections that do not apply if it is used.
    """

    name: str
    cite: str
    needs_shuffler: str | None
    without: tuple[str, ...]


class SettingRule(msgspec.Struct, frozen=True, kw_only=True):
    """A setting of the decisions: its default, the other values that may be filed, and the decision's number.

    A setting in `cents` is filed as an amount ("0.25"), a `count` as a whole number; both have no list of values. `readings` are
    the values that choose another reading of the section `cite`, each with that reading in words.
    """

    name: str
    default: bool | str | int
    values: tuple[bool | str, ...]
    unit: Unit
    decision: str
    cite: Citation | None = None
    readings: Mapping[bool | str, str] = {}


class Chapter(msgspec.Struct, frozen=True, kw_only=True):
    """A chapter: its wagers, paytables and numbers. `name` is its number in the code, `key` how submissions name it.

    `base` is the wager that a player must place to take part: the first of the chapter.

    Rules that games share go by the section numbers of 688a. `sections` gives this chapter's own number for each, None if
    it has no such rule; what is not in it has the same number if the chapter is `like` 688a, and is not there otherwise.
    A chapter's own rules name its sections whole (`687a.11(b)`). `assumed`: the shared sections are those of a chapter that
    we do not hold (D13). `dealer_face_up`: the dealer's cards are dealt face up. `exposure_voids_by`: the way of dealing of
    which § 688a.13(i) speaks. `wager_forms`: in what forms wagers are made; none if the chapter does not say. `in_force`:
    whether it ever was; one that was not serves what-if replays only (D14).
    `edition` is the number of the last amendment in it that changed it (1: none did), `edition_digest` the SHA-256 of the
    texts of these amendments, in order, in hexadecimal digits (empty: none).
    `citations` and `has_answers` keep the answers of `cite` and `has`.
    """

    jurisdiction: str
    name: str
    game: str
    title: str
    effective: str
    in_force: bool
    wheel: Wheel
    wagers: Mapping[str, WagerRule]
    base: str
    paytables: Mapping[tuple[str, str], Paytable]
    numbers: Mapping[str, int]
    number_cites: Mapping[str, Citation]
    deal_methods: Mapping[str, Option]
    startings: Mapping[str, Option]
    shufflers: Mapping[str, Option]
    settings: Mapping[str, SettingRule]
    house_way: str | None
    house_way_cite: str | None
    max_payout_cite: Citation | None
    adjacent_boxes_cite: str | None
    wager_forms: tuple[str, ...]
    deals_to: Literal["all", "bettors", "seats"]
    dealer_face_up: bool
    exposure_voids_by: str
    like: bool
    assumed: bool
    sections: Mapping[str, str | None]
    findings: Mapping[str, FindingKind] = {}
    edition: int = 1
    edition_digest: str = ""
    citations: dict[str, Citation] = {}
    has_answers: dict[str, bool] = {}

    @property
    def key(self) -> str:
        """How a rules submission names the chapter, such as `pa-688a`."""
        return f"{self.jurisdiction}-{self.name}"

    @property
    def edition_key(self) -> str:
        """How the warehouse names the edition: `pa-688a`, or `pa-688a#2` if an amendment changed it."""
        return f"{self.key}#{self.edition}" if self.edition_digest else self.key

    @property
    def seats(self) -> tuple[int, ...]:
        """The betting positions, clockwise from the dealer's left."""
        return tuple(range(1, self.numbers["seats"] + 1))

    def has(self, section: str) -> bool:
        """Return whether a rule that is on this section holds here: a section of 688a's, or one named whole.

        >>> chapter("pa", "688a").has("13(i)"), chapter("pa", "688a").has("687a.11(b)")
        (True, False)
        """
        known = self.has_answers.get(section)
        if known is None:
            known = self.has_answers[section] = self._has(section)
        return known

    def _has(self, section: str) -> bool:
        number, _, own = section.partition(".")
        if own:
            return number in (self.name, self.name.removesuffix("-proposed"))
        return self.sections[section] is not None if section in self.sections else self.like

    def cite(self, section: str) -> Citation:
        """Return the citation of a section of this chapter, given by 688a's number or whole.

        >>> chapter("pa", "688a").cite("12(b)")
        '58 Pa. Code § 688a.12(b)'
        """
        known = self.citations.get(section)
        if known is None:
            known = self.citations[section] = self._cite(section)
        return known

    def _cite(self, section: str) -> Citation:
        _, _, own = section.partition(".")
        if own:
            return cite(self.name, own)
        number = self.sections.get(section, section if self.like else None)
        if number is None:
            return Citation(f"{cite(REFERENCE, section)}, by analogy")
        return cite(REFERENCE, number, assumed=True) if self.assumed else cite(self.name, number)

    def paytable(self, wager: str, name: str) -> Paytable:
        """Return a paytable by wager and name as printed; KeyError if none exists."""
        return self.paytables[wager, name]


class KnownRule(msgspec.Struct, frozen=True):
    """An entry of a listing of what can be filed: a wager with one of its paytables, or (with `house_way`) a house way."""

    chapter: str
    wager: str
    paytable: str
    house_way: str
    cite: str


def chapter(jurisdiction: str, name: str, *, day: str = "", published: tuple[str, ...] = ()) -> Chapter:
    """Return a chapter by jurisdiction and number in the edition in force on a gaming day; KeyError if it is not known.

    Without a day it is the first edition. `published` are the texts of amendments that the property published, next to those
    that are held; one with a number that is held does not count. Raises `ValueError` if an amendment does not fit.

    >>> chapter("pa", "688a").numbers["qualifying_wager_cents"]
    500
    """
    return _edition(jurisdiction, name, _amendments(jurisdiction, name, day, published))


@cache
def chapter_edition(key: str, published: tuple[str, ...] = ()) -> Chapter | None:
    """Return the edition of a chapter for its key in the warehouse (`edition_key`).

    Return None if the text is not known, or if the number does not identify its amendments: one takes effect after a later one,
    or a chapter that it copies from was amended.

    >>> chapter_edition("pa-688a").edition, chapter_edition("pa-688a#2")
    (1, None)
    """
    name, _, number = key.partition("#")
    if name not in known_chapters():
        return None
    jurisdiction, _, short = name.partition("-")
    if not number:
        return chapter(jurisdiction, short)
    sources = {name, *(f"{jurisdiction}-{each}" for each in _copied(table_of(jurisdiction, short)))}
    held = [each for source in sources for each in amendment_texts(*source.split("-", 1))]
    known = [each for each in map(read_amendment, (*held, *published)) if each.key in sources]
    day = next((each.effective for each in known if each.edition == int(number)), "")
    if not day or any(each.key != name or (each.edition < int(number) and each.effective > day) for each in known):
        return None
    made = chapter(jurisdiction, short, day=day, published=published)
    return made if made.edition == int(number) else None


@cache
def _amendments(jurisdiction: str, name: str, day: str, published: tuple[str, ...]) -> tuple[str, ...]:
    """Return the texts of the amendments in force on a day, of a chapter and of those it copies from."""
    if not day:
        return ()
    table = table_of(jurisdiction, name)
    keys = {f"{jurisdiction}-{each}" for each in (name, *_copied(table))}
    brought = [each for each in map(read_amendment, published) if each.key in keys]
    texts: list[str] = []
    for key in sorted(keys):
        held = map(read_amendment, amendment_texts(*key.split("-", 1)))
        texts += [each.text for each in in_force((*held, *(each for each in brought if each.key == key)), day)]
    return tuple(texts)


def _copied(table: Mapping[str, Any]) -> set[str]:
    """Return the chapters from which a chapter copies."""
    return {name for name in (table.get("lent"), *(each.get("from") for each in table.get("paytable", ()))) if name}


@cache
def _edition(jurisdiction: str, name: str, amendments: tuple[str, ...]) -> Chapter:
    """Return a chapter with these amendments, of its own or of those it copies from."""
    try:
        table, changing = _full(jurisdiction, name, amendments)
        made = _chapter(table)
    except KeyError as error:
        if name not in chapter_names().get(jurisdiction, ()):
            raise
        raise ValueError(f"the chapter {jurisdiction}-{name}: {error} is missing; {GUIDE}") from error
    if not changing:
        return made
    digest = sha256("".join(each.text for each in changing).encode()).hexdigest()
    own = [each.edition for each in changing if each.key == made.key]
    return msgspec.structs.replace(made, edition=max(own, default=1), edition_digest=digest)


def _full(
    jurisdiction: str, name: str, amendments: tuple[str, ...] = (), text: Mapping[str, Any] | None = None
) -> tuple[Mapping[str, Any], list[Amendment]]:
    """Return a chapter's table (or that of `text`) with the parts that it copies, as amended; and its amendments."""

    changing: list[Amendment] = []

    def table_in_force(other: str) -> Mapping[str, Any]:
        table, changed = _full(jurisdiction, other, amendments)
        changing.extend(each for each in changed if each not in changing)
        return table

    table = with_lent(text if text is not None else table_of(jurisdiction, name), table_in_force)
    table = {key: value for key, value in table.items() if key != "lent"} | {"paytable": list(_in_full(table, table_in_force))}
    for each in map(read_amendment, amendments):
        if each.key == f"{jurisdiction}-{name}":
            before, table = table, amended(table, each)
            if table != before:
                changing.append(each)
    return table, changing


def read_chapter(text: str, source: str) -> Mapping[str, Any]:
    """Return a chapter's text as a table. Raises `ValueError` naming file, key and what was expected."""
    try:
        table = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source}: not TOML: {error}; {GUIDE}") from error
    fault = fault_of(table)
    if fault is not None:
        raise ValueError(f"{source}: {fault}; {GUIDE}")
    return table


def check_chapter(text: str, source: str) -> Chapter:
    """Return the chapter that a text makes, and add nothing. Raises `ValueError` naming file, key and what was expected."""
    table = read_chapter(text, source)
    try:
        return as_chapter(table)
    except KeyError as error:
        raise ValueError(f"{source}: {error} is missing, or there is no such chapter or paytable; {GUIDE}") from error
    except ValueError as error:
        raise ValueError(f"{source}: {error}; {GUIDE}") from error


def as_chapter(table: Mapping[str, Any]) -> Chapter:
    """Return the chapter of a table, with what it copies from others. Raises `KeyError` if something is not there."""
    return _chapter(_full(table["jurisdiction"], table["chapter"], text=table)[0])


def add_chapter(text: str, source: str = "chapter", amendments: Iterable[str] = ()) -> Chapter:
    """Add a chapter from the text of its TOML (in the file `source`), next to those of the package; return it.

    Raises `ValueError` if the text is no chapter, if an amendment does not fit it, or if the chapter is known already; nothing is
    added then.
    """
    check_chapter(text, source)
    table = read_chapter(text, source)
    key = f"{table['jurisdiction']}-{table['chapter']}"
    add_table(table, [each for each in amendments if read_amendment(each).key == key])
    _forget_answers()
    try:
        chapter(table["jurisdiction"], table["chapter"], day=LAST_DAY)
        return chapter(table["jurisdiction"], table["chapter"])
    except ValueError:
        remove_chapter(f"{table['jurisdiction']}-{table['chapter']}")
        raise


def remove_chapter(key: str) -> None:
    """Remove an added chapter by its key such as `pa-700a`; KeyError for any other."""
    jurisdiction, _, name = key.partition("-")
    remove_table(jurisdiction, name)
    _forget_answers()


def _forget_answers() -> None:
    for answers in (known_chapters, cite, _edition, _amendments, chapter_edition):
        answers.cache_clear()


@cache
def known_chapters() -> tuple[str, ...]:
    """Return the chapters that can be filed under, as submissions name them.

    >>> "pa-688a" in known_chapters()
    True
    """
    return tuple(f"{jurisdiction}-{name}" for jurisdiction, names in chapter_names().items() for name in names)


def known_rules() -> list[KnownRule]:
    """Return every wager, paytable and packaged house way that can be filed, chapter by chapter (`rack rules list`)."""
    rules = []
    for jurisdiction, names in chapter_names().items():
        for name in names:
            book = chapter(jurisdiction, name)
            for wager in book.wagers.values():
                for paytable in wager.paytables or ("",):
                    cited = book.paytable(wager.name, paytable).cite if paytable else wager.odds_cite
                    rules.append(KnownRule(book.key, wager.name, paytable, "", cited))
            if book.house_way is not None and book.house_way_cite is not None:
                rules.append(KnownRule(book.key, "", "", book.house_way, book.house_way_cite))
    return rules


def _chapter(table: Mapping[str, Any]) -> Chapter:
    """Return the chapter of a table that has everything it copies from others."""
    name: str = table["chapter"]
    effective: date = table["effective"]
    paytables = [_paytable(name, entry) for entry in table.get("paytable", ())]
    wagers = [_wager(name, entry, paytables, table["wager"][0]["name"]) for entry in table["wager"]]
    numbers: Mapping[str, Any] = table["numbers"]

    def options(kind: str) -> Mapping[str, Option]:
        return {entry["name"]: _option(name, entry) for entry in table.get(kind, ())}

    def section(key: str) -> Citation | None:
        return cited(name, table[key]) if key in table else None

    made = Chapter(
        jurisdiction=table["jurisdiction"],
        name=name,
        game=table["game"],
        title=table["title"],
        effective=effective.isoformat(),
        in_force=table.get("in_force", True),
        wheel=table["wheel"],
        wagers={wager.name: wager for wager in wagers},
        base=wagers[0].name,
        paytables={(paytable.wager, paytable.name): paytable for paytable in paytables},
        numbers={key: entry["value"] for key, entry in numbers.items()},
        number_cites={key: cited(name, entry["cite"]) for key, entry in numbers.items()},
        deal_methods=options("deal_method"),
        startings=options("starting"),
        shufflers=options("shuffler"),
        settings={entry["name"]: _setting(name, entry) for entry in table.get("setting", ())},
        house_way=table.get("house_way"),
        house_way_cite=section("house_way_cite"),
        max_payout_cite=section("max_payout_cite"),
        adjacent_boxes_cite=section("adjacent_boxes_cite"),
        wager_forms=tuple(table.get("wager_forms", ())),
        deals_to=table.get("deals_to", "all"),
        dealer_face_up=table.get("dealer_face_up", True),
        exposure_voids_by=table.get("exposure_voids_by", "automated_shoe"),
        like=name == REFERENCE or table.get("like") == REFERENCE,
        assumed=table.get("assumed", False),
        sections={section: number or None for section, number in table.get("sections", {}).items()},
        findings={entry["code"]: msgspec.convert(entry, FindingKind) for entry in table.get("finding", ())},
    )
    _must_have_numbers(made)
    return made


def _must_have_numbers(made: Chapter) -> None:
    """Raise `ValueError` if the chapter lacks a number that a shared rule or settlement needs."""
    needed = {number: f"section {section}" for section, number in SHARED_NUMBERS.items() if made.has(section)}
    if made.max_payout_cite is not None:
        needed["max_payout_floor_cents"] = "max_payout_cite"
    if any(paytable.has_envy for paytable in made.paytables.values()):
        needed["qualifying_wager_cents"] = "a line with envy"
    for number, reason in needed.items():
        if number not in made.numbers:
            raise ValueError(f"numbers.{number} is missing; {reason} needs it")


def _in_full(table: Mapping[str, Any], read: Callable[[str], Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The paytables of a chapter; an entry that names paytables of another chapter is replaced by these."""
    for entry in table.get("paytable", ()):
        if "from" not in entry:
            yield entry
            continue
        same = {other["name"]: other for other in read(entry["from"])["paytable"] if other["wager"] == entry["wager"]}
        yield from ({**same[name], "cite": entry["cite"]} for name in entry["names"])


def _wager(chapter_name: str, entry: Mapping[str, Any], paytables: list[Paytable], base: str) -> WagerRule:
    return WagerRule(
        name=entry["name"],
        cite=cited(chapter_name, entry["cite"]),
        odds=Odds.parse(entry["odds"]) if "odds" in entry else None,
        odds_cite=cited(chapter_name, entry["odds_cite"]),
        paytables=tuple(paytable.name for paytable in paytables if paytable.wager == entry["name"]),
        always=entry.get("always", False),
        of=entry.get("of"),
        times=entry.get("times", 1),
        closes=entry.get("closes", "no_more_bets"),
        closes_cite=cited(chapter_name, entry["closes_cite"]) if "closes_cite" in entry else None,
        within=entry.get("within"),
        stands=tuple(entry.get("stands", ())),
        needs=entry.get("needs"),
        follows=tuple(entry.get("follows", (base,))),
        follows_cite=cited(chapter_name, entry["follows_cite"]) if "follows_cite" in entry else None,
    )


def _paytable(chapter_name: str, entry: Mapping[str, Any]) -> Paytable:
    cite_ = cited(chapter_name, entry["cite"])
    lines = tuple(_line(line, cite_) for line in entry.get("lines", ()))
    all_odds = all(line.odds is not None or line.push for line in lines)
    return Paytable(
        wager=entry["wager"],
        name=entry["name"],
        cite=cite_,
        lines=lines,
        wager_cents=parse_money(entry["wager_amount"]) if "wager_amount" in entry else None,
        joker=entry.get("joker", "completes"),
        stake_returned=entry.get("stake_returned", True),
        seed_cents=parse_money(entry.get("seed", "0")),
        rate_bp=entry.get("rate_bp", 0),
        reserve_rate_bp=entry.get("reserve_rate_bp", 0),
        scales=entry.get("scales", False),
        rate_filed=entry.get("rate_filed", False),
        least_wager_cents=parse_money(entry.get("least_wager", "0")),
        maximum_cents=parse_money(entry.get("maximum", "0")),
        has_envy=any(line.envy_cents for line in lines),
        picks="best_paid" if all_odds else "first_printed",
    )


def _line(entry: Mapping[str, Any], cite_: Citation) -> PayLine:
    return PayLine(
        hand=entry["hand"],
        odds=Odds.parse(entry["odds"]) if "odds" in entry else None,
        push=entry.get("push", False),
        amount_cents=parse_money(entry.get("amount", "0")),
        meter_bp=entry.get("meter_bp", 0),
        envy_cents=parse_money(entry.get("envy", "0")),
        cite=cite_,
    )


def _option(chapter_name: str, entry: Mapping[str, Any]) -> Option:
    needs = entry.get("needs_shuffler")
    return Option(
        name=entry["name"],
        cite=cited(chapter_name, entry["cite"]),
        needs_shuffler=None if needs is None else cited(chapter_name, needs),
        without=tuple(entry.get("without", ())),
    )


def _setting(chapter_name: str, entry: Mapping[str, Any]) -> SettingRule:
    unit: Unit = entry.get("unit", "choice")
    values = tuple(entry.get("values", (False, True))) if unit == "choice" else ()
    named = {str(value).lower(): value for value in values}
    return SettingRule(
        name=entry["name"],
        default=parse_money(entry["default"]) if unit == "cents" else entry["default"],
        values=values,
        unit=unit,
        decision=entry["decision"],
        cite=cited(chapter_name, entry["cite"]) if "cite" in entry else None,
        readings={named[value]: words for value, words in entry.get("readings", {}).items()},
    )
