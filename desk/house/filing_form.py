"""A filing as a form, and the submission made from its answers.

The fields come from the chapter, each with its section. Content without a field (a house's own chart, a meter) stays as filed.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final, NamedTuple

from desk.house.pit import AMOUNT
from desk.house.property_file import FILE, line_of, read_property
from desk.house.property_setup import Written, value_text
from replay.narrative.names import heading, unsigned_amount, wager_name
from rulebook.chapters.chapters import Chapter, Option, RulesRefused, SettingRule, WagerRule, chapter, known_rules
from rulebook.chapters.rulebook import Rulebook, parse_submission

NOT_OFFERED: Final = "not offered"
OFFERED: Final = "offered"
OWN_CHART: Final = "own chart, as filed"
AS_DEFAULT: Final = "as by default"


class Field(NamedTuple):
    """A field: its dotted key in the submission, label, present value, choices (none: it is typed), and section."""

    key: str
    label: str
    value: str
    choices: tuple[str, ...] = ()
    cite: str = ""


class Group(NamedTuple):
    """A group of fields: of a wager, of the table, or of the settings."""

    title: str
    fields: tuple[Field, ...]


def form_of(text: str) -> list[Group]:
    """Return the form of a submission, which must name a chapter but need not be valid. Raises `RulesRefused`."""
    content = tomllib.loads(text)
    of = chapter(*str(content["chapter"]).split("-", 1))
    first = [
        Field("effective_gaming_day", "From gaming day", str(content.get("effective_gaming_day", ""))),
        Field("name", "Name of these rules", str(content.get("name", ""))),
    ]
    if of.max_payout_cite is not None:
        first.append(Field("max_payout", "Max payout (optional)", str(content.get("max_payout", "")), (), of.max_payout_cite))
    if of.house_way_cite is not None:
        own = isinstance(content.get("house_way"), dict)
        ways = tuple(each.house_way for each in known_rules() if each.chapter == of.key and each.house_way)
        value = OWN_CHART if own else str(content.get("house_way", ""))
        first.append(Field("house_way", "House way", value, (*ways, OWN_CHART) if own else ways, of.house_way_cite))
    groups = [Group("General", tuple(first))]
    wagers = content.get("wagers", {})
    for rule in of.wagers.values():
        if rule.of is None:
            filed = wagers.get(rule.name)
            groups.append(Group(wager_name(rule.name), tuple(_of_wager(of, rule, filed if isinstance(filed, dict) else None))))
    groups.append(Group("Table", tuple(_of_table(of, content.get("table", {})))))
    settings = content.get("settings", {})
    if of.settings:
        groups.append(Group("How ambiguous rules are read", tuple(_of_setting(rule, settings) for rule in of.settings.values())))
    return groups


def _of_table(of: Chapter, filed: Mapping[str, Any]) -> Iterator[Field]:
    options: Mapping[str, Mapping[str, Option]] = {
        "deal_method": of.deal_methods,
        "starting": of.startings,
        "shuffler": of.shufflers,
    }
    for key, known in options.items():
        if known:
            value = str(filed.get(key, ""))
            cite = known[value].cite if value in known else next(iter(known.values())).cite
            yield Field(f"table.{key}", heading(key), value, tuple(known), cite)
    if of.adjacent_boxes_cite is not None:
        value = "yes" if filed.get("adjacent_boxes") is True else "no"
        yield Field("table.adjacent_boxes", "A player may wager on two boxes", value, ("no", "yes"), of.adjacent_boxes_cite)
    if of.numbers["decks_max"] > 1:
        yield Field("table.decks", "Decks (optional)", str(filed.get("decks", "")), (), of.number_cites["decks_max"])


def _of_wager(of: Chapter, rule: WagerRule, filed: Mapping[str, Any] | None) -> Iterator[Field]:
    at = f"wagers.{rule.name}"
    names = rule.paytables
    paytable = None
    if names:
        given = names[0] if filed is not None and len(names) == 1 else str((filed or {}).get("paytable", names[0]))
        paytable = of.paytables.get((rule.name, given))
        choices = names if rule.always else (NOT_OFFERED, *names)
        shown = given if rule.always or filed is not None else NOT_OFFERED
        yield Field(f"{at}.paytable", "Paytable", shown, choices, paytable.cite if paytable is not None else rule.cite)
    elif not rule.always:
        yield Field(f"{at}.offered", "Offered", NOT_OFFERED if filed is None else OFFERED, (NOT_OFFERED, OFFERED), rule.cite)
    if filed is None and not rule.always:
        return
    keys: Sequence[tuple[str, str]] = (("min", "Min"), ("max", "Max"))
    if paytable is not None and paytable.wager_cents is not None:
        keys = [("amount", "Amount (optional)"), *([("rate", "Rate of progression")] if paytable.rate_filed else [])]
    elif paytable is not None and paytable.maximum_cents:
        keys = []
    for key, label in keys:
        yield Field(f"{at}.{key}", label, str((filed or {}).get(key, "")), (), rule.cite)


def _of_setting(rule: SettingRule, filed: Mapping[str, Any]) -> Field:
    value = filed.get(rule.name)
    cite = ", ".join(filter(None, (rule.cite, rule.decision)))
    if rule.values:
        shown = AS_DEFAULT if value is None else _shown(value)
        return Field(f"settings.{rule.name}", heading(rule.name), shown, (AS_DEFAULT, *map(_shown, rule.values)), cite)
    return Field(f"settings.{rule.name}", f"{heading(rule.name)} (optional)", "" if value is None else _shown(value), (), cite)


def _shown(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def edited(text: str, answers: Mapping[str, str]) -> str:
    """Return a submission with new answers by key. The result is not checked: `parse_submission` does that."""
    content = tomllib.loads(text)
    of = chapter(*str(content["chapter"]).split("-", 1))
    for key, answer in answers.items():
        first, *rest = key.split(".")
        answer = answer.strip()
        if first == "wagers":
            _edit_wager(of, content.setdefault("wagers", {}), rest[0], rest[1], answer)
            continue
        if key == "house_way" and answer == OWN_CHART:
            continue
        into = content.setdefault(first, {}) if rest else content
        name = rest[0] if rest else first
        if answer in ("", AS_DEFAULT) and name not in ("name", "effective_gaming_day"):
            into.pop(name, None)
        else:
            into[name] = _typed(of, key, answer)
    if not content.get("settings", True):
        del content["settings"]
    return toml_text(content)


def _edit_wager(of: Chapter, wagers: dict[str, Any], name: str, key: str, answer: str) -> None:
    if answer == NOT_OFFERED:
        wagers.pop(name, None)
        return
    if name not in wagers and key not in ("paytable", "offered"):
        return  # what was typed for a wager that is no longer offered
    new = name not in wagers
    into = wagers.setdefault(name, {})
    if key == "paytable":
        into["paytable"] = answer
        paytable = of.paytables.get((name, answer))
        fixed = paytable is not None and (paytable.wager_cents is not None or bool(paytable.maximum_cents))
        for each in ("min", "max") if fixed else ("amount", "rate", "meter", "linked"):
            into.pop(each, None)
        new = new or (not fixed and "min" not in into)
        if fixed:
            return
    elif key != "offered":
        if answer:
            into[key] = plain_amount(answer)
        else:
            into.pop(key, None)
    if new:  # the limits of the base wager, until somebody types others
        base = wagers.get(of.base, {})
        into |= {each: base[each] for each in ("min", "max") if each in base and each not in into}


def _typed(of: Chapter, key: str, answer: str) -> Any:
    """Return an answer in the submission's form."""
    name = key.rpartition(".")[2]
    rule = of.settings.get(name) if key.startswith("settings.") else None
    if name == "effective_gaming_day":
        try:
            return date.fromisoformat(answer)
        except ValueError:
            return answer
    if key == "table.adjacent_boxes" or (rule is not None and isinstance(rule.default, bool)):
        return answer == "yes"
    if (key == "table.decks" or (rule is not None and rule.unit == "count")) and answer.isdecimal() and len(answer) < 4:
        return int(answer)
    return plain_amount(answer) if key == "max_payout" or (rule is not None and rule.unit == "cents") else answer


def plain_amount(answer: str) -> str:
    """Return an amount in the submission's form.

    >>> plain_amount("$1,000.00"), plain_amount("15%")
    ('1000.00', '15%')
    """
    bare = unsigned_amount(answer)
    return bare.replace(",", "") if AMOUNT.fullmatch(bare) else answer


def toml_text(content: Mapping[str, Any], at: str = "") -> str:
    """Return a submission as TOML, a table for each table.

    >>> print(toml_text({"chapter": "pa-688a", "wagers": {"base": {"min": "15.00"}}}), end="")
    chapter = "pa-688a"
    <BLANKLINE>
    [wagers.base]
    min = "15.00"
    """
    plain = {key: value for key, value in content.items() if not isinstance(value, dict)}
    head = [f"[{at}]"] if at and (plain or not content) else []
    parts = ["\n".join([*head, *(f"{key} = {value_text(value)}" for key, value in plain.items())])]
    parts += [
        toml_text(value, f"{at}.{key}" if at else key).rstrip("\n") for key, value in content.items() if isinstance(value, dict)
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def fault_of(text: str) -> str:
    """Return why a submission is refused, with key and section; empty if it is accepted."""
    try:
        parse_submission(text, "")
    except RulesRefused as error:
        key = ", ".join(part for part in error.key.replace("wagers.", "").replace("_", " ").split("."))
        return f"{key}: {error.message} ({error.section})"
    return ""


def rules_files(folder: Path, tables: Sequence[str], book: Rulebook) -> list[Written]:
    """Return the changes of the property's own files by a filing, so that `rack plan` does not undo it.

    The rules file of these tables gets the filed rules; if other tables share it, these tables get a file of their own. Raises
    `ReviewRefused` if the property's file cannot be read.
    """
    made = read_property(folder)
    path = folder / FILE
    before = text = path.read_text(encoding="utf-8")
    written: dict[str, Written] = {}
    for number, table in enumerate(made.form.table):
        if table.id not in tables:
            continue
        users = {each.id for each in made.form.table if each.rules == table.rules and each.closed is None}
        name = table.rules
        if not users <= set(tables):
            name = f"rules/{book.game}-{book.effective_gaming_day}-{book.digest[:6]}.toml"
            lines = text.split("\n")
            at = line_of(text, f".table[{number}].rules") - 1
            lines[at] = lines[at].replace(table.rules, name)
            text = "\n".join(lines)
        written[name] = Written("~", folder / name, book.text, f"{name} says what is filed")
    found = [each for each in written.values() if not each.path.exists() or each.path.read_text(encoding="utf-8") != each.text]
    return found + ([Written("~", path, text, f"{FILE} names them")] if text != before else [])
