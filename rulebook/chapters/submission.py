"""Rules submissions from a few words: the `rules` line of a transcript, written out as the TOML that it represents.

`pa-688a ace_high_bonus=1 progressive=4 min=5.00 max=1000.00 house_way=stones` becomes a whole rules submission, which is
then read and checked like any other. Limits that are not given are wide.
"""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from rulebook.chapters.chapters import SUBMISSIONS, Chapter, RulesRefused, WagerRule, chapter, known_chapters

SOURCE: Final = "rules line"
MIN_DEFAULT: Final = "1.00"
MAX_DEFAULT: Final = "100000.00"
MAX_TEXT: Final = 128 * 1024
MAX_LINE: Final = 2_000
MAX_DEPTH: Final = 10
_FLAGS: Final = {"yes": "true", "no": "false"}
_DAY: Final = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])", re.ASCII)
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,2}", re.ASCII)


def expected_chapters() -> str:
    """Return in words which chapters can be filed."""
    return f"one of {', '.join(known_chapters())}; any other comes with its game: install the distribution"


def read_toml(text: str, source: str) -> dict[str, Any]:
    """Return a submission's text as an unchecked table. Raises `RulesRefused` if it is not TOML or too large."""
    if len(text) > MAX_TEXT or max(map(len, text.split("\n"))) > MAX_LINE:
        message = f"a submission has at most {MAX_TEXT} characters, and {MAX_LINE} in a line"
        raise RulesRefused(source, "(whole file)", message, SUBMISSIONS)
    try:
        table = tomllib.loads(text)
    except RecursionError as error:
        raise RulesRefused(source, "(whole file)", "it is nested too deeply", SUBMISSIONS) from error
    except ValueError as error:  # no TOML, or a number or a day that there is not
        raise RulesRefused(source, "(whole file)", f"not TOML: {error}", SUBMISSIONS) from error
    level: list[Any] = [table]
    for _ in range(MAX_DEPTH):
        level = [
            each for one in level if isinstance(one, dict | list) for each in (one.values() if isinstance(one, dict) else one)
        ]
    if level:
        message = f"tables and lists stand within each other more than {MAX_DEPTH} deep"
        raise RulesRefused(source, "(whole file)", message, SUBMISSIONS)
    return table


def simple_submission(chapter: str = "pa-688a", paytables: Mapping[str, str] | None = None, **settings: str | bool | int) -> str:
    """Return a rules submission: a chapter, the paytable of each optional wager offered, and settings by name.

    >>> text = simple_submission(paytables={"ace_high_bonus": "1"}, max_payout="50000.00", adjacent_boxes=True)
    >>> 'paytable = "1"' in text and 'max_payout = "50000.00"' in text
    True
    """
    words = [f"{wager}={name}" for wager, name in (paytables or {}).items()]
    for key, value in settings.items():
        words.append(f"{key}={'yes' if value is True else 'no' if value is False else value}")
    return submission_from_words([chapter, *words])


def submission_from_words(words: Sequence[str]) -> str:
    """Return the rules submission for the words of a `rules` line. `RulesRefused` names a wrong word.

    >>> print(submission_from_words(["pa-688a", "fortune_bonus=3", "fortune_bonus.min=5.00"]), end="")
    chapter = "pa-688a"
    name = "pa-688a"
    effective_gaming_day = 2021-05-29
    house_way = "stones"
    <BLANKLINE>
    [table]
    deal_method = "automated_shoe"
    starting = "shaker"
    shuffler = "automated"
    adjacent_boxes = false
    <BLANKLINE>
    [wagers.base]
    min = "1.00"
    max = "100000.00"
    <BLANKLINE>
    [wagers.fortune_bonus]
    paytable = "3"
    min = "5.00"
    max = "100000.00"
    """
    book, options = _read(words)
    deal_method = options.pop("deal_method", list(book.deal_methods)[-1])
    text = [
        f"chapter = {_quoted(book.key)}",
        f"name = {_quoted(options.pop('name', book.key))}",
        f"effective_gaming_day = {_plain('effective', options.pop('effective', book.effective), _DAY, 'a day')}",
    ]
    if "max_payout" in options:
        text.append(f"max_payout = {_quoted(options.pop('max_payout'))}")
    if book.house_way is not None:
        text.append(f"house_way = {_quoted(options.pop('house_way', book.house_way))}")
    text += ["", "[table]", f"deal_method = {_quoted(deal_method)}"]
    if book.startings:
        text.append(f"starting = {_quoted(options.pop('starting', _unsaid_starting(book)))}")
    usual = "none" if deal_method == "manual_shoe" else "automated"
    shuffler = usual if usual in book.shufflers else next(iter(book.shufflers))
    text.append(f"shuffler = {_quoted(options.pop('shuffler', shuffler))}")
    if "decks" in options:
        text.append(f"decks = {_plain('decks', options.pop('decks'), _NUMBER, 'a number')}")
    text.append(f"adjacent_boxes = {_flag('adjacent_boxes', options.pop('adjacent_boxes', 'no'))}")
    limit = options.get("max", MAX_DEFAULT)
    for wager in book.wagers.values():
        if wager.of is None and (wager.always or wager.name in options):
            most = limit if wager.within else MAX_DEFAULT
            text += ["", f"[wagers.{wager.name}]", *_wager(book, wager, options, most)]
    settings = [f"{name} = {_setting(book, name, options.pop(name))}" for name in book.settings if name in options]
    text += ["", "[settings]", *settings] if settings else []
    for key in options:
        raise RulesRefused(SOURCE, key, f"unknown, or of a wager that is not offered, in {book.key}", SUBMISSIONS)
    return "\n".join(text) + "\n"


def _unsaid_starting(book: Chapter) -> str:
    """Return the starting method if the words leave it open.

    If the players' shaker is filed, the dealer's may be used too (645c.2(a)), so that neither puts anything in dispute.
    """
    return "player_shaker" if "player_shaker" in book.startings else next(iter(book.startings))


def _read(words: Sequence[str]) -> tuple[Chapter, dict[str, str]]:
    if not words or words[0] not in known_chapters():
        named = repr(words[0]) if words else "missing"
        raise RulesRefused(SOURCE, "chapter", f"{named}; expected {expected_chapters()}", SUBMISSIONS)
    options: dict[str, str] = {}
    for word in words[1:]:
        key, equals, value = word.partition("=")
        if not (key and equals and value):
            raise RulesRefused(SOURCE, word, "expected key=value", SUBMISSIONS)
        if key in options:
            raise RulesRefused(SOURCE, key, "given twice", SUBMISSIONS)
        options[key] = value
    return chapter(*words[0].split("-", 1)), options


def _wager(book: Chapter, wager: WagerRule, words: dict[str, str], most: str) -> list[str]:
    """Read the words about a wager and write its table."""
    lines: list[str] = []
    amount, paytable = None, None
    if not wager.always:
        filed = words.pop(wager.name)
        if len(wager.paytables) == 1 and filed == "yes":
            filed = wager.paytables[0]
        if wager.paytables:
            lines.append(f"paytable = {_quoted(filed)}")
            paytable = book.paytables.get((wager.name, filed))
            amount = paytable.wager_cents if paytable is not None else None
        elif filed != "yes":
            raise RulesRefused(SOURCE, wager.name, f"{filed!r}; expected yes: it has no paytables", wager.cite)
    prefix = "" if wager.always else f"{wager.name}."
    if paytable is not None and paytable.maximum_cents:
        meter, linked = words.pop(f"{wager.name}.meter", None), words.pop(f"{wager.name}.linked", None)
        lines += [f"meter = {_quoted(meter)}"] if meter is not None else []
        return lines + ([f"linked = {_flag('linked', linked)}"] if linked is not None else [])
    for key, default in (("min", MIN_DEFAULT), ("max", most)):
        value = words.pop(prefix + key, None) or words.pop(f"{wager.name}.{key}", default if amount is None else None)
        lines += [] if value is None else [f"{key} = {_quoted(value)}"]
    for word, key in (("wager", "amount"), ("rate", "rate")):
        if f"{wager.name}.{word}" in words:
            lines.append(f"{key} = {_quoted(words.pop(f'{wager.name}.{word}'))}")
    if any(book.paytable(wager.name, name).wager_cents is not None for name in wager.paytables):
        lines += [f"meter = {_quoted(words.pop('meter'))}"] if "meter" in words else []
        lines += [f"linked = {_flag('linked', words.pop('linked'))}"] if "linked" in words else []
    return lines


def _setting(book: Chapter, name: str, value: str) -> str:
    rule = book.settings[name]
    if rule.unit == "count":
        return _plain(name, value, _NUMBER, "a whole number")
    return _flag(name, value) if isinstance(rule.default, bool) else _quoted(value)


def _flag(key: str, value: str) -> str:
    if value not in _FLAGS:
        raise RulesRefused(SOURCE, key, f"{value!r}; expected yes or no", SUBMISSIONS)
    return _FLAGS[value]


def _plain(key: str, value: str, pattern: re.Pattern[str], expected: str) -> str:
    """A value that TOML writes without quotes."""
    if pattern.fullmatch(value) is None:
        raise RulesRefused(SOURCE, key, f"{value!r}; expected {expected}", SUBMISSIONS)
    return value


def _quoted(value: str) -> str:
    """A TOML string; JSON's escapes are TOML's too."""
    return json.dumps(value, ensure_ascii=False)
