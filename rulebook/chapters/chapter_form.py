"""The form of a chapter's file: every key with its type, and which keys go together. The first misfit is reported.

Invariant: it checks a table without interpreting it (`rulebook.chapters.chapters` does).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta

from rulebook.cards.ranking import JokerMode, Wheel
from rulebook.chapters.money import Odds, parse_money

Text = Annotated[str, Meta(min_length=1)]
Name = Annotated[str, Meta(pattern=r"\A[a-z][a-z0-9_]{0,31}\Z")]
Whole = Annotated[int, Meta(ge=0)]
Closes = Literal["no_more_bets", "first_card", "activation", "further_cards", "reveal"]
"""What ends the time for a wager: a moment of the round."""
Unit = Literal["choice", "cents", "count"]
Form = TypeVar("Form", bound=msgspec.Struct)

ALWAYS: Final = ("seats", "deck_size", "jokers", "decks_max", "cards_per_hand")
"""The numbers of every chapter."""
SHARED_NUMBERS: Final = {
    "2(c)(1)(i)": "dice_age_hours",
    "3(c)(1)": "deck_age_hand_hours",
    "3(c)(2)": "deck_age_shoe_hours",
    "5(e)": "cut_depth_cards",
    "5(i)(1)(i)": "shakes",
    "5(i)(1)(iv)": "shakes",
}
"""Section of 688a's that shared rules are on → the number that they need of a chapter which has that section."""


class _Form(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    pass


class NumberForm(_Form):
    """One number of the text."""

    value: int
    cite: Text


class WagerForm(_Form):
    """A wager."""

    name: Name
    cite: Text
    odds_cite: Text
    odds: Text | None = None
    always: bool = False
    of: Name | None = None
    times: int = 1
    closes: Closes = "no_more_bets"
    closes_cite: Text | None = None
    within: Name | None = None
    stands: tuple[Text, ...] = ()
    needs: Name | None = None
    follows: tuple[Name, ...] = ()
    follows_cite: Text | None = None


class LineForm(_Form):
    """A line of a paytable."""

    hand: Text
    odds: Text | None = None
    push: bool = False
    amount: Text | None = None
    meter_bp: Whole = 0
    envy: Text | None = None


class PaytableForm(_Form):
    """A paytable, or paytables that are copied from another chapter."""

    wager: Name
    cite: Text
    name: Text | None = None
    lines: tuple[LineForm, ...] = ()
    from_: Text | None = msgspec.field(name="from", default=None)
    names: tuple[Text, ...] = ()
    wager_amount: Text | None = None
    joker: JokerMode | None = None
    stake_returned: bool = True
    seed: Text | None = None
    rate_bp: Whole = 0
    rate_filed: bool = False
    reserve_rate_bp: Whole = 0
    scales: bool = False
    least_wager: Text | None = None
    maximum: Text | None = None


class OptionForm(_Form):
    """A way of dealing, of finding the start, a shuffler."""

    name: Text
    cite: Text
    needs_shuffler: Text | None = None
    without: tuple[Text, ...] = ()


OPTIONS: Final = {
    "deal_method": ("manual_shoe", "hand", "automated_shoe"),
    "starting": ("shaker", "number", "player_shaker"),
    "shuffler": ("none", "automated", "automated_counting", "continuous"),
}
"""The names that an event, or a rules submission, has for what may be filed."""


class SettingForm(_Form):
    """A setting of the decisions."""

    name: Text
    default: bool | str | int
    decision: Text
    values: tuple[bool | str, ...] = (False, True)
    unit: Unit = "choice"
    cite: Text | None = None
    readings: dict[str, Text] = {}


class FindingKind(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A kind of finding that only the game of a chapter has: its code, its title in at most four words, how severe it is."""

    code: Annotated[str, Meta(pattern=r"\A[A-Z]{2,8}(-[A-Z]{2,14}){1,2}\Z")]
    title: Text
    severity: Literal["high", "medium", "low"]


class NotHeldForm(_Form):
    """An amendment that is known to exist and whose text is not held: nothing is judged by it."""

    cite: Text
    published: Text
    changes: Text


class ChapterForm(_Form):
    """A chapter's file."""

    jurisdiction: Annotated[str, Meta(pattern=r"\A[a-z]{2}\Z")]
    chapter: Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9-]{0,31}\Z")]
    game: Name
    title: Text
    effective: date
    wheel: Wheel
    numbers: dict[str, NumberForm]
    wager: Annotated[tuple[WagerForm, ...], Meta(min_length=1)]
    published: Text | None = None
    cited_as: Annotated[str, Meta(pattern=r"\{section\}")] | None = None
    deals_to: Literal["all", "bettors", "seats"] = "all"
    dealer_face_up: bool = True
    exposure_voids_by: Text | None = None
    house_way: Text | None = None
    house_way_cite: Text | None = None
    max_payout_cite: Text | None = None
    adjacent_boxes_cite: Text | None = None
    in_force: bool = True
    wager_forms: tuple[Text, ...] = ()
    like: Text | None = None
    assumed: bool = False
    lent: Text | None = None
    sections: dict[str, str] = {}
    paytable: tuple[PaytableForm, ...] = ()
    deal_method: tuple[OptionForm, ...] = ()
    starting: tuple[OptionForm, ...] = ()
    shuffler: tuple[OptionForm, ...] = ()
    setting: tuple[SettingForm, ...] = ()
    finding: tuple[FindingKind, ...] = ()
    not_held: tuple[NotHeldForm, ...] = ()


def fault_of(table: Mapping[str, Any]) -> str | None:
    """Return the first key of a chapter's table that is missing or wrong, and what was expected; None if it fits.

    >>> fault_of({"jurisdiction": "pa", "chapter": "700a"})
    'game: Object missing required field `game`'
    """
    form, fault = fault_in(table, ChapterForm)
    return next(_misfits(form), None) if form is not None else fault


def fault_in(table: Mapping[str, Any], form: type[Form]) -> tuple[Form | None, str]:
    """Return a table in its form, or None and the first key that is missing or wrong, with what was expected."""
    try:
        return msgspec.convert(table, form, strict=True), ""
    except msgspec.ValidationError as error:
        return None, _in_words(str(error))


def _in_words(message: str) -> str:
    """Return a message of the decoder with the key first, such as `wager[0].odds_cite: …`."""
    what, _, path = message.partition(" - at `$")
    key = re.sub(r"\A\.|`\Z", "", path)
    missing = re.search(r"(?:required|unknown) field `(\w+)`", what)
    if missing is not None:
        key = f"{key}.{missing[1]}" if key else missing[1]
    return f"{key}: {what}"


def _misfits(form: ChapterForm) -> Iterator[str]:
    """Yield keys that do not go together, or cannot be read."""
    wagers = [each.name for each in form.wager]
    expected = f"expected a wager of the chapter: {', '.join(wagers)}"
    if form.lent is None:
        yield from (
            f"numbers.{name} is missing; every chapter has it, or is `lent` it" for name in ALWAYS if name not in form.numbers
        )
        for kind in ("deal_method", "shuffler"):
            if not getattr(form, kind):
                yield f"{kind} is missing; expected at least one [[{kind}]]"
    yield from _unknown_values(form)
    for number, wager in enumerate(form.wager):
        named = {"of": wager.of, "within": wager.within} | {f"follows[{n}]": each for n, each in enumerate(wager.follows)}
        yield from (f"wager[{number}].{key}: {each!r}; {expected}" for key, each in named.items() if each not in (None, *wagers))
        yield from _unreadable(f"wager[{number}]", {"odds": wager.odds}, {})
    for number, paytable in enumerate(form.paytable):
        where = f"paytable[{number}]"
        if paytable.wager not in wagers:
            yield f"{where}.wager: {paytable.wager!r}; {expected}"
        yield from _of_paytable(where, paytable)
    for number, setting in enumerate(form.setting):
        if setting.unit == "choice" and setting.default not in setting.values:
            values = f"expected one of the values {list(setting.values)}, or a `unit`"
            yield f"setting[{number}].default: {setting.default!r}; {values}"
        known = {str(value).lower() for value in setting.values}
        for value in setting.readings.keys() - known:
            yield f"setting[{number}].readings: {value!r}; expected one of the values {sorted(known)}"
        if setting.unit == "cents":
            yield from _unreadable(f"setting[{number}]", {}, {"default": setting.default})


def _unknown_values(form: ChapterForm) -> Iterator[str]:
    if "seats" in form.numbers and form.numbers["seats"].value not in range(1, 8):
        yield f"numbers.seats: {form.numbers['seats'].value}; expected 1 to 7"
    for section in form.sections:
        if re.fullmatch(r"[0-9]+(\([0-9A-Za-z]+\))*", section) is None:
            yield f"sections: {section!r}; expected a section of 688a, such as '7(c)'"
    for kind, names in OPTIONS.items():
        for each in getattr(form, kind):
            if each.name not in names:
                yield f"{kind}: {each.name!r}; expected one of {', '.join(names)}"


def _of_paytable(where: str, paytable: PaytableForm) -> Iterator[str]:
    if paytable.from_ is not None:
        if not paytable.names:
            yield f"{where}.names is missing; expected the paytables of {paytable.from_} to copy"
        return
    if paytable.name is None:
        yield f"{where}.name is missing; one without a printed name is called '1', one that copies others has `from`"
    if not paytable.lines and paytable.maximum is None:
        yield f"{where}.lines is missing; expected at least one line, or a `maximum`"
    amounts = {key: getattr(paytable, key) for key in ("wager_amount", "seed", "least_wager", "maximum")}
    yield from _unreadable(where, {}, amounts)
    for number, line in enumerate(paytable.lines):
        if line.odds is None and line.amount is None and not (line.push or line.meter_bp or line.envy):
            yield f"{where}.lines[{number}]: expected odds, push, amount, meter_bp or envy"
        yield from _unreadable(f"{where}.lines[{number}]", {"odds": line.odds}, {"amount": line.amount, "envy": line.envy})


def _unreadable(where: str, odds: Mapping[str, Any], amounts: Mapping[str, Any]) -> Iterator[str]:
    for read, values in ((Odds.parse, odds), (parse_money, amounts)):
        for key, value in values.items():
            try:
                if value is not None:
                    read(value)
            except (ValueError, TypeError, AttributeError) as error:
                yield f"{where}.{key}: {value!r}: {error}"
