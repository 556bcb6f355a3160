"""Rules submissions: the options that a casino files, read strictly and checked against the chapter (§ 601a.2).

Invariant: a submission only chooses among what the chapter allows. Anything else in it is refused, with the file,
the key, what was expected and the section. docs/rules-submissions.md documents the format.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import date
from hashlib import sha256
from typing import Any, Final

import msgspec

from rulebook.chapters.chapters import (
    SUBMISSIONS,
    Chapter,
    KnownRule,
    Option,
    RulesRefused,
    WagerRule,
    chapter,
    known_chapters,
    known_rules,
)
from rulebook.chapters.citation import Citation
from rulebook.chapters.filed_way import FiledWay, read_way
from rulebook.chapters.money import parse_money, show_money
from rulebook.chapters.offer import WagerOffer, most_from_smallest_wagers
from rulebook.chapters.paytables import PayLine, Paytable
from rulebook.chapters.submission import expected_chapters, read_toml, simple_submission, submission_from_words
from rulebook.house_ways.way_table import HouseWayError

__all__ = [
    "Chapter", "KnownRule", "PayLine", "Paytable", "Rulebook", "RulesRefused", "WagerOffer", "WagerRule",
    "chapter",
    "known_chapters", "known_rules", "parse_submission", "simple_submission", "submission_from_words",
]  # fmt: skip


class Rulebook(msgspec.Struct, frozen=True, kw_only=True):
    """The rules in force at a table: a rules submission that was accepted, resolved against its chapter."""

    name: str
    chapter: Chapter
    game: str
    effective_gaming_day: str
    digest: str
    text: str
    offers: dict[str, WagerOffer]
    deal_method: str
    starting: str
    shuffler: str
    decks: int
    house_way: FiledWay | None
    max_payout_cents: int | None
    adjacent_boxes: bool
    meter: str | None
    linked_meter: bool
    mystery_meter: str | None
    linked_mystery: bool
    settings: Mapping[str, bool | str | int]
    without: tuple[str, ...]

    @property
    def way(self) -> FiledWay:
        """The house way, in a chapter if the dealer's hands are set by one."""
        assert self.house_way is not None, f"no house way is filed in {self.chapter.key}"
        return self.house_way

    def cite(self, section: str) -> Citation:
        """Return the citation of a section of the chapter; a whole citation as it is."""
        return section if isinstance(section, Citation) else self.chapter.cite(section)

    def has(self, section: str) -> bool:
        """Return whether a rule that is on this section holds in the chapter."""
        return self.chapter.has(section)

    def files(self, setting: str) -> bool:
        """Return whether the submission files a setting, so that no reading of the text is left to choose."""
        return setting in read_toml(self.text, self.name).get("settings", {})

    def with_setting(self, setting: str, value: bool | str) -> "Rulebook":
        """Return the same rules with another value of a setting, as another reading of the text has it."""
        settings = {**self.settings, setting: value}
        return msgspec.structs.replace(self, settings=settings, offers=_as_set(self.offers, settings))

    def exempt(self, section: str) -> bool:
        """Return whether a section, given by 688a's number, does not apply with the shuffler that is filed."""
        return section.startswith(self.without)


def parse_submission(
    toml_text: str, source: str = "rules submission", day: str = "", published: tuple[str, ...] = ()
) -> Rulebook:
    """Read a rules submission, or raise `RulesRefused` with the file, the key, what was expected and the section.

    It is resolved against the edition of its chapter that is in force on a gaming day, that of the submission if none is given;
    `published` are the texts of amendments that the property published. A wager or setting that an edition struck after the
    submission took effect is not part of the rules any more.

    >>> book = parse_submission(simple_submission(paytables={"fortune_bonus": "1"}))
    >>> book.offers["fortune_bonus"].paytable.best(frozenset({"flush"})).odds.winnings(500)
    2000
    """
    return _SubmissionReader(source, toml_text, read_toml(toml_text, source), day, published).rulebook()


class _Section:
    """One table of a submission. Code must take every key; a key left at the end is refused."""

    def __init__(self, source: str, name: str, table: Mapping[str, Any]) -> None:
        self.source = source
        self.name = name
        self._left = dict(table)

    def refuse(self, key: str, message: str, section: str = SUBMISSIONS) -> RulesRefused:
        return RulesRefused(self.source, f"{self.name}.{key}" if self.name else key, message, section)

    def has(self, key: str) -> bool:
        return key in self._left

    def take(self, key: str, kind: type | tuple[type, ...], expected: str, section: str = SUBMISSIONS) -> Any:
        if key not in self._left:
            raise self.refuse(key, f"missing; expected {expected}", section)
        value = self._left.pop(key)
        kinds = kind if isinstance(kind, tuple) else (kind,)
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.refuse(key, f"{value!r}; expected {expected}", section)
        return value

    def text(self, key: str, expected: str, section: str = SUBMISSIONS) -> str:
        value: str = self.take(key, str, expected, section)
        if not value:
            raise self.refuse(key, f"empty; expected {expected}", section)
        return value

    def id(self, key: str) -> str:
        text = self.text(key, "an id")
        if _ID.fullmatch(text) is None:
            raise self.refuse(key, f"{text!r}; expected an id of a-z, 0-9 and -, at most 32 long")
        return text

    def flag(self, key: str, default: bool, section: str = SUBMISSIONS) -> bool:
        return bool(self.take(key, bool, "true or false", section)) if self.has(key) else default

    def money(self, key: str, section: str = SUBMISSIONS) -> int:
        text = self.text(key, 'an amount such as "25.00"', section)
        try:
            return parse_money(text)
        except ValueError as error:
            raise self.refuse(key, str(error), section) from error

    def table(self, key: str, expected: str) -> "_Section":
        inner = self.take(key, dict, expected)
        return _Section(self.source, f"{self.name}.{key}" if self.name else key, inner)

    def drop(self, key: str) -> None:
        """Skip entries that an edition has struck since the submission took effect."""
        del self._left[key]

    def keys_left(self) -> tuple[str, ...]:
        return tuple(self._left)

    def close(self, expected_keys: Iterable[str]) -> None:
        for key in self._left:
            raise self.refuse(key, f"unknown; expected one of {', '.join(expected_keys)}")


_PERCENT: Final = re.compile(r"([0-9]{1,3})(?:\.([0-9]{1,2}))?%", re.ASCII)
_ID: Final = re.compile(r"[a-z0-9-]{1,32}")
_TOP: Final = ("chapter", "name", "effective_gaming_day", "max_payout", "house_way", "table", "wagers", "settings")
_TABLE: Final = ("deal_method", "starting", "shuffler", "decks", "adjacent_boxes")


class _SubmissionReader:
    """Reads one submission from the top down. Each method reads one part and reports its errors."""

    def __init__(self, source: str, text: str, table: Mapping[str, Any], day: str, published: tuple[str, ...]) -> None:
        self.source = source
        self.text = text
        self.top = _Section(source, "", table)
        self.day, self.published = day, published

    def rulebook(self) -> Rulebook:
        top = self.top
        key = self._key()
        name = top.text("name", "the name of these rules")
        day = self._effective_gaming_day(chapter(*key).effective)
        self.filed_by = chapter(*key, day=day, published=self.published)
        self.chapter = chapter(*key, day=max(day, self.day), published=self.published)
        offers, meter, linked, mystery_meter, linked_mystery = self._offers()
        deal_method, starting, shuffler, decks, adjacent = self._table()
        house_way = self._house_way()
        max_payout_cents = self._max_payout(offers)
        settings = self._settings()
        self._needs(offers, settings)
        self._dice_for(offers, starting)
        top.close(_TOP)
        return Rulebook(
            name=name,
            chapter=self.chapter,
            game=self.chapter.game,
            effective_gaming_day=day,
            digest=sha256(self.text.encode()).hexdigest(),
            text=self.text,
            offers=_as_set(offers, settings),
            deal_method=deal_method,
            starting=starting,
            shuffler=shuffler,
            decks=decks,
            house_way=house_way,
            max_payout_cents=max_payout_cents,
            adjacent_boxes=adjacent,
            meter=meter,
            linked_meter=linked,
            mystery_meter=mystery_meter,
            linked_mystery=linked_mystery,
            settings=settings,
            without=self.chapter.shufflers[shuffler].without,
        )

    def _key(self) -> tuple[str, str]:
        expected = expected_chapters()
        key = self.top.text("chapter", expected)
        if key not in known_chapters():
            raise self.top.refuse("chapter", f"{key!r} is not known; expected {expected}")
        jurisdiction, _, number = key.partition("-")
        return jurisdiction, number

    def _effective_gaming_day(self, first: str) -> str:
        value = self.top.take("effective_gaming_day", (str, date), "a day such as 2025-01-31")
        try:
            # A date with a time of day is a date to Python too; its text is not one.
            day = date.fromisoformat(str(value)).isoformat()
        except ValueError:
            day = ""
        if day != str(value):
            raise self.top.refuse("effective_gaming_day", f"{str(value)!r}; expected a day such as 2025-01-31")
        if day < first:
            message = f"{day} is before the chapter took effect on {first}"
            raise self.top.refuse("effective_gaming_day", message)
        return day

    def _offers(self) -> tuple[dict[str, WagerOffer], str | None, bool, str | None, bool]:
        wagers = self.top.table("wagers", "a table for each wager offered")
        rules = self.chapter.wagers
        for name in wagers.keys_left():
            if name not in rules and name in self.filed_by.wagers:
                wagers.drop(name)
            elif name not in rules:
                cite = next((rule.cite for rule in rules.values() if not rule.always), SUBMISSIONS)
                raise wagers.refuse(name, f"no such wager; the chapter has {', '.join(rules)}", cite)
        offers: dict[str, WagerOffer] = {}
        meter, linked, mystery_meter, linked_mystery = None, False, None, False
        for name, rule in rules.items():
            if rule.of is not None:
                offers[name] = self._derived(wagers, rule, offers[rule.of])
                continue
            if not rule.always and not wagers.has(name):
                continue
            section = wagers.table(name, "a table with min and max")
            paytable = self._paytable(section, rule)
            known = ["min", "max"] + (["paytable"] if rule.paytables else [])
            if paytable is not None and paytable.wager_cents is not None:
                paytable = self._scaled(section, paytable, paytable.wager_cents)
                low = high = paytable.wager_cents or 0
                paytable = self._rated(section, paytable)
                meter = section.id("meter") if section.has("meter") else None
                linked = section.flag("linked", False)
                known = ["paytable", "amount", "meter", "linked"] + (["rate"] if paytable.rate_filed else [])
            elif paytable is not None and paytable.maximum_cents:
                low = high = 0  # nothing is staked: the progressive wager qualifies (§ 645c.3(c)(1))
                mystery_meter = section.id("meter") if section.has("meter") else "mystery"
                if mystery_meter == meter:
                    raise section.refuse("meter", f"{meter} is the progressive's; the bonus has its own", paytable.cite)
                linked_mystery = section.flag("linked", False)
                known = ["paytable", "meter", "linked"]
            else:
                low, high = self._limits(section, rule, offers.get(rule.within or ""))
            section.close(known)
            offers[name] = WagerOffer(name, paytable, low, high)
        return offers, meter, linked, mystery_meter, linked_mystery

    def _needs(self, offers: Mapping[str, WagerOffer], settings: Mapping[str, bool | str | int]) -> None:
        """Refuse a wager without what it depends on: another wager, of at least some amount, or a setting."""
        for name, offer in offers.items():
            rule, paytable = self.chapter.wagers[name], offer.paytable
            if rule.needs is None:
                continue
            other = offers.get(rule.needs)
            if other is None and settings.get(rule.needs) is not True:
                message = f"is offered only with {rule.needs}, which is not filed"
                raise RulesRefused(self.source, f"wagers.{name}", message, rule.cite)
            if other is not None and paytable is not None and other.min_cents < paytable.least_wager_cents:
                least = show_money(paytable.least_wager_cents)
                message = f"{paytable.name} is for a {rule.needs} wager of at least {least}"
                raise RulesRefused(self.source, f"wagers.{name}.paytable", message, paytable.cite)

    def _dice_for(self, offers: Mapping[str, WagerOffer], starting: str) -> None:
        """Refuse wagers on the dice if no dice are thrown: the start is found by a number drawn (§ 645c.2(e), D522)."""
        on_dice = [name for name in offers if self.chapter.wagers[name].closes == "activation"]
        if on_dice and starting == "number":
            message = f"number; {on_dice[0]} is on the dice of a shaker: file shaker or player_shaker"
            raise RulesRefused(self.source, "table.starting", message, self.chapter.wagers[on_dice[0]].cite)

    def _derived(self, wagers: _Section, rule: WagerRule, of: WagerOffer) -> WagerOffer:
        """The offer of a wager whose amount follows from another's: it is part of the game and is not filed."""
        if wagers.has(rule.name):
            message = f"is not filed; its amount is {rule.times} times the {rule.of} wager"
            raise wagers.refuse(rule.name, message, rule.cite)
        paytable = self.chapter.paytable(rule.name, rule.paytables[0]) if rule.paytables else None
        return WagerOffer(rule.name, paytable, rule.times * of.min_cents, rule.times * of.max_cents)

    def _paytable(self, section: _Section, rule: WagerRule) -> Paytable | None:
        if not rule.paytables:
            return None
        if len(rule.paytables) == 1 and not section.has("paytable"):
            return self.chapter.paytable(rule.name, rule.paytables[0])
        expected = f"a paytable: {', '.join(rule.paytables)}"
        cite = self.chapter.paytable(rule.name, rule.paytables[0]).cite
        name = section.text("paytable", expected, cite)
        if name not in rule.paytables:
            raise section.refuse("paytable", f"{name!r} is not one; expected {expected}", cite)
        return self.chapter.paytable(rule.name, name)

    def _limits(self, section: _Section, rule: WagerRule, within: WagerOffer | None) -> tuple[int, int]:
        low, high = section.money("min", rule.cite), section.money("max", rule.cite)
        if low < 1:
            raise section.refuse("min", "a wager is at least one cent", rule.cite)
        if low > high:
            raise section.refuse("min", f"{show_money(low)} is above the maximum {show_money(high)}", rule.cite)
        if within is not None and high > within.max_cents:
            limit = f"{show_money(within.max_cents)} of the {within.wager} wager"
            raise section.refuse("max", f"{show_money(high)} exceeds the limit of {limit}", rule.cite)
        return low, high

    def _scaled(self, section: _Section, paytable: Paytable, amount_cents: int) -> Paytable:
        """Return a progressive's paytable for the filed wager: "for 1" amounts and the seed scale with it, others are fixed."""
        if Citation(paytable.cite).assumed:
            return self._as_filed(section, paytable)
        for key in ("amount", "min", "max"):
            if not section.has(key) or (filed := section.money(key, paytable.cite)) == amount_cents:
                continue
            if not paytable.scales or key != "amount":
                message = f"{show_money(filed)}; paytable {paytable.name} is for a wager of {show_money(amount_cents)}"
                raise section.refuse(key, message, paytable.cite)
            if filed < amount_cents or filed % amount_cents:
                message = f"{show_money(filed)}; the paytable pays for each {show_money(amount_cents)}"
                raise section.refuse(key, message, paytable.cite)
            times = filed // amount_cents
            lines = tuple(
                msgspec.structs.replace(line, amount_cents=line.amount_cents * times, envy_cents=line.envy_cents * times)
                for line in paytable.lines
            )
            seed = paytable.seed_cents * times
            paytable = msgspec.structs.replace(paytable, lines=lines, wager_cents=filed, seed_cents=seed)
        return paytable

    def _as_filed(self, section: _Section, paytable: Paytable) -> Paytable:
        """Return a progressive's paytable for any one wager: the printed wager is assumed and refuses no filing (D13, D662)."""
        filed = {key: section.money(key) for key in ("amount", "min", "max") if section.has(key)}
        for key, cents in filed.items():
            if cents < 1 or cents not in (paytable.wager_cents, *list(filed.values())[:1]):
                raise section.refuse(key, f"{show_money(cents)}; expected one amount for the wager, of at least one cent")
        printed_for = paytable.wager_cents
        amount = next(iter(filed.values()), printed_for)
        return msgspec.structs.replace(
            paytable, wager_cents=amount, printed_for_cents=printed_for if amount != printed_for else None
        )

    def _rated(self, section: _Section, paytable: Paytable) -> Paytable:
        """Add the rate of progression if the text prints none and it must be filed (D18)."""
        if not paytable.rate_filed:
            return paytable
        text = section.text("rate", 'a rate of progression such as "15%": the text prints none', paytable.cite)
        match = _PERCENT.fullmatch(text)
        if match is None or not 0 < int(match[1]) * 100 + int((match[2] or "").ljust(2, "0")) <= 10_000:
            raise section.refuse("rate", f'{text!r}; expected a rate such as "15%"', paytable.cite)
        return msgspec.structs.replace(paytable, rate_bp=int(match[1]) * 100 + int((match[2] or "").ljust(2, "0")))

    def _table(self) -> tuple[str, str, str, int, bool]:
        section = self.top.table("table", "a table with deal_method, starting and shuffler")
        chapter_ = self.chapter
        deal = _choose(section, "deal_method", chapter_.deal_methods)
        starting = _choose(section, "starting", chapter_.startings) if chapter_.startings else None
        shuffler = _choose(section, "shuffler", chapter_.shufflers)
        if deal.needs_shuffler and shuffler.name == "none":
            message = f"none; dealing by {deal.name} takes an automated shuffler"
            raise section.refuse("shuffler", message, deal.needs_shuffler)
        has_shuffler = shuffler.name not in ("none", "continuous")
        least = chapter_.numbers.get("decks_with_shuffler", 1) if has_shuffler else 1
        decks = section.take("decks", int, "a number of decks") if section.has("decks") else least
        decks_max, decks_cite = chapter_.numbers["decks_max"], chapter_.number_cites["decks_max"]
        if decks < 1 or (decks > decks_max and not decks_cite.assumed):
            raise section.refuse("decks", f"{decks}; expected 1 to {decks_max}", decks_cite)
        if decks > 1 and not has_shuffler and not decks_cite.assumed:
            raise section.refuse("decks", f"{decks} decks take an automated shuffler", decks_cite)
        if decks < least:
            raise section.refuse("decks", f"{decks}; with an automated shuffler {least}", decks_cite)
        adjacent = section.flag("adjacent_boxes", False, chapter_.adjacent_boxes_cite or SUBMISSIONS)
        if adjacent and chapter_.adjacent_boxes_cite is None:
            raise section.refuse("adjacent_boxes", "the chapter does not let a player wager on two boxes")
        section.close(_TABLE if chapter_.startings else [key for key in _TABLE if key != "starting"])
        return deal.name, starting.name if starting else "", shuffler.name, decks, adjacent

    def _house_way(self) -> FiledWay | None:
        section = self.chapter.house_way_cite
        if section is None:
            if self.top.has("house_way"):
                raise self.top.refuse("house_way", "nobody sets the dealer's hands by a house way in this chapter")
            return None
        value = self.top.take("house_way", (str, dict), 'a name such as "stones", or a table', section)
        try:
            return read_way(value, f"{self.source}: house_way", self.chapter)
        except HouseWayError as error:
            raise self.top.refuse("house_way", str(error), section) from error

    def _max_payout(self, offers: Mapping[str, WagerOffer]) -> int | None:
        if not self.top.has("max_payout"):
            return None
        section = self.chapter.max_payout_cite
        if section is None:
            raise self.top.refuse("max_payout", "the chapter knows no maximum payout")
        cap = self.top.money("max_payout", section)
        floor = self.chapter.numbers["max_payout_floor_cents"]
        if section.assumed:  # no one is refused by it (D13)
            return cap
        smallest = most_from_smallest_wagers(offers)
        if cap < floor:
            raise self.top.refuse("max_payout", f"{show_money(cap)}; at least {show_money(floor)}", section)
        if cap < smallest:
            message = f"{show_money(cap)}; the smallest wagers can win {show_money(smallest)}, and it may not be less"
            raise self.top.refuse("max_payout", message, section)
        return cap

    def _settings(self) -> Mapping[str, bool | str | int]:
        rules = self.chapter.settings
        filed = self.top.table("settings", "a table of settings") if self.top.has("settings") else None
        settings: dict[str, bool | str | int] = {}
        for name, rule in rules.items():
            if filed is None or not filed.has(name):
                settings[name] = rule.default
                continue
            if rule.unit == "cents":
                settings[name] = filed.money(name)
                continue
            if rule.unit == "count":
                settings[name] = filed.take(name, int, "a whole number")
                continue
            expected = " or ".join(repr(value) if isinstance(value, str) else str(value).lower() for value in rule.values)
            value = filed.take(name, type(rule.default), expected)
            if value not in rule.values:
                raise filed.refuse(name, f"{value!r}; expected {expected} ({rule.decision})")
            settings[name] = value
        if filed is not None:
            for name in (self.filed_by.settings.keys() - rules.keys()) & set(filed.keys_left()):
                filed.drop(name)
            filed.close(rules)
        return settings


def _choose(section: _Section, key: str, options: Mapping[str, Option]) -> Option:
    cites = ", ".join(option.cite for option in options.values())
    expected = f"one of {', '.join(options)}"
    name = section.text(key, expected, cites)
    if name not in options:
        raise section.refuse(key, f"{name!r}; expected {expected}", cites)
    return options[name]


def _as_set(offers: dict[str, WagerOffer], settings: Mapping[str, bool | str | int]) -> dict[str, WagerOffer]:
    """Apply the settings that change a paytable: how lines are picked (D15), the progressive's joker (D18)."""
    changed = dict(offers)
    for offer in offers.values():
        paytable = offer.paytable
        if paytable is None:
            continue
        if offer.wager == "fortune_bonus" and settings.get("fortune_pays") == "highest_rank":
            paytable = msgspec.structs.replace(paytable, picks="highest_rank")
        if offer.wager == "progressive" and settings.get("progressive_joker") in ("completes", "wild"):
            paytable = msgspec.structs.replace(paytable, joker=settings["progressive_joker"])
        changed[offer.wager] = msgspec.structs.replace(offer, paytable=paytable)
    return changed
