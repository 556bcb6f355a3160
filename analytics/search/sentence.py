"""Reads a person's sentence about a round: day, time, table, seat, wager, amount, cards. Pure.

Invariant: each part is read in turn and removed from the sentence. Words not read are returned as such. If a word has two
meanings, the chosen one is returned, so that the person can correct it. "Last night" and a weekday name the gaming day that began
then, with its night past midnight. A date names the calendar day: a time before six in the morning belongs to the gaming day that
began the day before.
"""

import re
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from difflib import get_close_matches
from typing import Any, Final

import msgspec

from analytics.search.disputes import HANDS, Complaint
from analytics.search.remembered import PARTS_OF_DAY, RANKS, SUITS, CardSeen, TimeTyped, cards_typed
from analytics.search.vocabulary import (
    CHIPS,
    COMPLAINTS,
    DAY_CODES,
    HAND_WORDS,
    KNOWN,
    MONTHS,
    NUMBERS,
    ORDINALS,
    QUIET,
    SPELLED,
    SPOKEN_MONEY,
    TENS,
    WAGERS,
    WEEKDAYS,
)
from replay.narrative.names import amount, currency_symbol, day_words

CUTOVER: Final = 360
"""Minutes after midnight: an earlier time on a day of the calendar belongs to the gaming day before."""
FRESH: Final = timedelta(days=2)
"""A record whose newest gaming day is older than this is an old one: "last night" is counted from its end."""


class ParsedSentence(msgspec.Struct, frozen=True, kw_only=True):
    """The meaning of a sentence; a part not mentioned is None or empty.

    `time` is a time of day, `day` the gaming day, `paid_cents` the payment by the person's account, `hand` one of
    `disputes.HANDS`. `cards` are the cards as typed, `seen` their meaning. `notes` state the chosen meaning of ambiguous words;
    `unread` are the words that the parser does not know.
    """

    table: str | None = None
    round_no: int | None = None
    day: date | None = None
    time: TimeTyped | None = None
    seat: int | None = None
    wager: str | None = None
    amount_cents: int | None = None
    paid_cents: int | None = None
    hand: str | None = None
    complaint: Complaint | None = None
    cards: str = ""
    seen: tuple[CardSeen, ...] = ()
    notes: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing in it identifies a round."""
        told = (self.table, self.round_no, self.day, self.time, self.seat, self.wager, self.hand, self.complaint)
        return not (self.seen or self.amount_cents or self.paid_cents) and all(each is None for each in told)


def read_sentence(
    text: str, *, tables: Sequence[str], days: Sequence[date], wagers: Sequence[str], today: date, currency: str = ""
) -> ParsedSentence:
    """Read a sentence. `tables`, `days` and `wagers` are those of the record, `today` is the present gaming day.

    `currency` (ISO 4217) is the property's: its symbol, code and spoken name are read as money, as those of dollars are.

    >>> said = read_sentence("seat 3 at FU 1, $10 on the ace high bonus, last night around nine", tables=["fu-01"],
    ...     days=[date(2026, 3, 6)], wagers=["ace_high_bonus"], today=date(2026, 3, 7))
    >>> said.table, said.seat, said.wager, said.amount_cents, said.day.isoformat(), said.time.minutes, said.unread
    ('fu-01', 3, 'ace_high_bonus', 1000, '2026-03-06', 1260, ())
    """
    reader = _Reader(text, currency)
    odds = reader.odds()
    fields: dict[str, Any] = {
        "table": reader.table(tables),
        "round_no": reader.number(r"\bround\s*(?:number|no\.?|#)?\s*(\d{1,9})\b"),
        "seat": reader.seat(),
        "hand": reader.hand(wagers),
        "wager": reader.wager(wagers),
        "paid_cents": reader.amount_paid(),
        "amount_cents": reader.amount_named(),
        "day": reader.day(days, today),
        "time": reader.time(),
    }
    fields["day"] = reader.gaming_day(fields["day"], fields["time"])
    fields["amount_cents"] = fields["amount_cents"] or reader.amount_of_verb()
    fields["complaint"] = reader.complaint() or ("short" if reader.only else None)
    cards = reader.cards()
    return ParsedSentence(
        **fields, cards=cards, seen=cards_typed(cards).cards, notes=tuple(reader.notes), unread=(*reader.rest(), *odds)
    )


_CODE: Final = r"(?:10|[2-9TJQKA])[shdc\u2660-\u2667]"


def significant(text: str) -> str:
    """Return the significant words of a text, for a search of people's texts.

    >>> significant("The shuffler of FU-01 jams again")
    'shuffler fu-01 jams'
    """
    return " ".join(word for word in re.findall(r"(?:[^\s,;|.!?()\"&+/]|(?<=\d),(?=\d))+", text.casefold()) if word not in QUIET)


_HOUR: Final = rf"(\d{{1,2}}|{'|'.join(NUMBERS)})"
_ABOUT: Final = r"(?:just |shortly |a little |a bit |right |some time |sometime )?"
_NEAR: Final = r"(?:around|about|at|near|by|roughly|approximately|close to|towards?|circa|past|after|before|~)\s*"
_HALF: Final = r"(?:\s*(a\.?m\.?|p\.?m\.?)(?![a-z]))"
_NOT_MONEY: Final = r"(?!\s*(?:dollars|bucks|\$|%|cards?|days|nights|times|o?f\b))(?![\d.,:/-]*\d)"
_MINUTES: Final = rf"(\d{{1,2}}|quarter|{'|'.join(NUMBERS)}|twenty)"
_FROM_THIRTEEN: Final = rf"(?:{'|'.join(TENS)})(?:[\s-](?:{'|'.join(list(NUMBERS)[:9])}))?"
_SPOKEN: Final = rf"ten|eleven|twelve|{_FROM_THIRTEEN}"
"""Minutes after an hour, as they are said."""
_MONEY: Final = r"(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{2}))?"
_WORDS: Final = rf"(?:a |{'|'.join(NUMBERS)}|{'|'.join(TENS)}|hundred|thousand|and|[\s-])+"


class _Reader:
    """A sentence from which one part after another is read and removed."""

    def __init__(self, text: str, currency: str = "") -> None:
        spades = re.sub(rf"\bAs\b(?=[\s,]+{_CODE}|\s*,|\s*$)|(?<=[shdc\u2660-\u2667] )As\b", "A\u2660", text)
        self.left = re.sub(r"[’']", "", spades.casefold()).replace("\N{EN DASH}", "-").replace("a.m", "am").replace("p.m", "pm")
        if currency and currency_symbol(currency) != "$":
            sign = rf"(?:{re.escape(currency_symbol(currency).strip().casefold())}|{currency.casefold()})"
            spoken = rf"(?:{SPOKEN_MONEY.get(currency, 'dollars?')})"
            self.left = re.sub(rf"(?<!\w){sign}\s*(?=\d)", "$", self.left)
            self.left = re.sub(rf"(?<=\d)\s*(?:{sign}|{spoken})(?!\w)|\b{spoken}\b", " dollars", self.left)
        self.currency = currency
        self.notes: list[str] = []
        self.period = ""
        self.is_date = False
        self.only = False
        self._spell()
        self._write_out()
        self.whole = self.left

    def _spell(self) -> None:
        """Read a nearly known word as the known one, with a note."""
        for word in dict.fromkeys(re.findall(r"(?<![\w-])[a-z]{4,}(?![\w-])", self.left)):
            if word in KNOWN or word.removesuffix("s") in KNOWN:
                continue
            near = get_close_matches(word, SPELLED, 1, 0.75 if len(word) < 6 else 0.84)
            if near and near[0][0] == word[0]:
                self.left = re.sub(rf"(?<![\w-]){word}(?![\w-])", near[0], self.left)
                self.notes.append(f"“{word}” was read as “{near[0]}”")

    def _write_out(self) -> None:
        """Expand abbreviations: a weekday, thousands, and a time by noon or midnight."""
        whole = {name[:3]: name for name in WEEKDAYS}
        self.left = re.sub(rf"\b(?:{DAY_CODES})\b\.?", lambda m: whole[m[0].split()[-1][:3]], self.left)
        self.left = re.sub(r"\b(\d{1,3})k\b", r"\1,000", self.left)
        from_noon = rf"\b((?:half|{_MINUTES}(?: minutes?)?) (?:past|after|to|before|of)) (noon|midnight)\b"
        self.left = re.sub(from_noon, lambda m: f"{m[1]} 12 {'pm' if m[3] == 'noon' else 'am'}", self.left)

    def take(self, pattern: str) -> re.Match[str] | None:
        """Remove and return a pattern's first match."""
        found = re.search(pattern, self.left)
        if found is not None:
            self.left = f"{self.left[: found.start()]} | {self.left[found.end() :]}"
        return found

    def number(self, pattern: str) -> int | None:
        """Read a number."""
        found = self.take(pattern)
        return None if found is None else int(found[1]) or None

    # ------------------------------------------------------------------------------------------------------ table, seat

    def table(self, tables: Sequence[str]) -> str | None:
        """Read a table: its id in any spelling, or "table 5" if one table has that number."""
        for name in tables:
            prefix, _, number = name.rpartition("-")
            short = rf"{re.escape(prefix)}[\s-]*0*{int(number)}" if prefix and number.isdecimal() else ""
            written = short or re.escape(name)
            if self.take(rf"(?<![\w-])(?:table\s+)?{written}(?![\w-])") is not None:
                return name
        found = re.search(rf"\btable\s*(?:number|no\.?|#)?\s*{_HOUR}\b", self.left)
        if found is None:
            return None
        asked = int(NUMBERS.get(found[1], found[1]))
        fitting = [name for name in tables if (end := name.rpartition("-")[2]).isdecimal() and int(end) == asked]
        if len(fitting) == 1:
            self.take(re.escape(found[0]))
            return fitting[0]
        if fitting:
            self.take(re.escape(found[0]))
            self.notes.append(f"table {asked} may be {' or '.join(name.upper() for name in fitting)}: choose one")
        return None

    def seat(self) -> int | None:
        """Read a seat: "seat 3", "seat three", "third seat", "3rd seat", "spot 3"."""
        found = self.take(rf"\b(?:seat|spot|position)\s*(?:number|no\.?|#)?\s*([1-7]\b|{'|'.join(list(NUMBERS)[:7])})(?!\w)")
        if found is not None:
            return int(NUMBERS.get(found[1], found[1]))
        found = self.take(rf"\b(?:([1-7])(?:st|nd|rd|th)|({'|'.join(ORDINALS)})) (?:seat|spot|position)\b")
        return None if found is None else int(found[1] or ORDINALS[found[2]])

    # ---------------------------------------------------------------------------------------------------- wager, amount

    def wager(self, wagers: Sequence[str]) -> str | None:
        """Read a wager played here, by its longest name."""
        named = sorted(
            ((name, key) for key in wagers for name in WAGERS.get(key, (key.replace("_", " "),))),
            key=lambda named: -len(named[0]),
        )
        for name, key in named:
            words = r"[\s-]+".join(map(re.escape, name.split()))
            if self.take(rf"(?<![\w-]){words}(?:[\s-]+(?:bonus|bet|wager|side bet))*(?![\w-])") is not None:
                return key
        return None

    def hand(self, wagers: Sequence[str]) -> str | None:
        """Read the name of a hand. "Ace high" alone is the bonus of that name, if it is played here."""
        named = next((name for name in HANDS if self.take(rf"(?<![\w-])(?:an? )?(?:{HAND_WORDS[name]})(?![\w-])")), None)
        bonus = r"(?<![\w-])(?:(?:on|for) )?(?:(?:the|my|his|her) )?ace[\s-]high(?![\s-]+(?:bonus|bet|wager|side))(?![\w-])"
        if "ace_high_bonus" in wagers and self.take(bonus) is not None:
            self.left += " | ace high bonus"
        return named

    def odds(self) -> list[str]:
        """Read odds ("paid 5 to 1 instead of 15 to 1"): they are not searched, and are not a time."""
        pattern = r"(?:(?<=paid )|(?<=pays )|(?<=got )|(?<=instead of ))\d{1,3} to (?:1|one)\b"
        taken = re.findall(pattern, self.left)
        self.left = re.sub(pattern, "|", self.left)
        return taken

    def amount_paid(self) -> int | None:
        """Read a paid amount: "got paid only 100 dollars", "gave me fifty thousand"."""
        verbs = r"\b(?:got paid|paid out|paid|pays|payed|received|got back|got|gave|given|handed|won)"
        whom = r"(?:\s+(?:me|him|her|them|us|back|out|just|only|about|exactly|a|the|winnings|was|were|of))*"
        figure = rf"\s+\$?\s*(?=\$|\d\d|\d[.,]|\d\s*(?:dollars?|bucks)){_MONEY}(?:\s*(?:dollars?|bucks|usd))?"
        off = r"(?!\s*(?:(?:dollars?|bucks|usd)\s*)?(?:too )?(?:short|light|little|less|much|more|over)\b)"  # a difference
        not_money = rf"{off}(?![\w:/]|\.\d|\s*(?:to\s*\d|of a kind|cards?|aces|hands?|times|o?clock|am\b|pm\b))"
        only = rf"\b(?:only|just)\s+(?:got|paid|received|gave)|{verbs}(?:\s+(?:me|him|her|them|us))*\s+(?:only|just)\b"
        self.only = re.search(only, self.left) is not None
        found = self.take(rf"{verbs}{whom}{figure}{not_money}")
        cents = None if found is None else _cents(found)
        if cents is None:
            found = self.take(rf"{verbs}{whom}\s+({_WORDS})(?:\s*(?:dollars?|bucks)\b{off}|(?=\s*(?:$|[,.|])))")
            value = None if found is None else _in_words(found[1])
            cents = None if value is None else value * 100
        self.only = self.only and cents is not None
        return cents or None

    def complaint(self) -> Complaint | None:
        """Return the patron's complaint from the whole sentence, since an amount may have been read with its verb."""
        for kind, words in COMPLAINTS:
            pattern = rf"(?<![\w-])(?:{words})(?![\w-])"
            if re.search(pattern, self.whole) is not None:
                self.take(pattern)
                return kind
        return None

    def amount_named(self) -> int | None:
        """Read an amount of money: "$25", "25 dollars", "twenty-five dollars"."""
        found = self.take(rf"\$\s*{_MONEY}") or self.take(rf"(?<![\w.,]){_MONEY}\s*(?:dollars?|bucks|usd)\b")
        if found is not None:
            return _cents(found)
        found = self.take(rf"\b({_WORDS})\s*(?:dollars?|bucks)\b")
        if found is not None:
            return (_in_words(found[1]) or 0) * 100 or None
        found = self.take(rf"\b(a|\d{{1,2}}|{'|'.join(NUMBERS)}) ({'|'.join(CHIPS)}) (?:chip|check|cheque)s?\b")
        if found is not None:
            count = 1 if found[1] == "a" else int(NUMBERS.get(found[1], found[1]))
            self.notes.append(f"a {found[2]} chip is taken as {amount(CHIPS[found[2]], self.currency).removesuffix('.00')}")
            return count * CHIPS[found[2]]
        small = "|".join([*NUMBERS, *TENS])
        large = rf"(?:(?:{small}|a)(?:[\s-]+(?:{small}))?[\s-]+)?(?:hundred|thousand)(?:[\s-]+(?:and[\s-]+)?(?:{small}|hundred))*"
        found = self.take(rf"(?<![\w-])({large})(?![\w-])")
        return None if found is None else (_in_words(found[1]) or 0) * 100 or None

    def amount_of_verb(self) -> int | None:
        """Read an amount after a verb of money: "bet 25", "lost 1,250.00", "took ninety". A single digit is no amount here."""
        verbs = "bet|bets|wagered|staked|paid|pays|got|lost|won|owed|owes|short|underpaid|overpaid|collected|took|put|kept"
        of_verb = rf"\b(?:{verbs})\b(?:\s+(?:me|him|her|them|by|only|out|just|about|around|exactly|my|his|the|their))*\s+"
        found = self.take(rf"{of_verb}(?=\d\d|\d[.,]){_MONEY}(?![\w:])")
        if found is not None:
            return _cents(found)
        found = self.take(
            rf"{of_verb}({_FROM_THIRTEEN})(?!\s*(?:minutes?|hands?|rounds?|times|cards?|hundred|thousand|[a-z]+s\b))\b"
        )
        return None if found is None else (_in_words(found[1]) or 0) * 100

    # --------------------------------------------------------------------------------------------------------- day, time

    def day(self, days: Sequence[date], today: date) -> date | None:
        """Read a gaming day. In an old record, days are counted back from its end."""
        newest = max(days, default=today)
        old = today - newest > FRESH
        now = newest + timedelta(days=1) if old else today
        back = self._days_back(now)
        if back is not None:
            if old:
                self.notes.append(f"the record ends on {day_words(newest)}, and days are counted back from there")
            return now - timedelta(days=max(back, 1) if old else back)  # "today" is the last day of an old record
        return self._date(now)

    def _days_back(self, now: date) -> int | None:
        """Read a day counted back from today."""
        if self.take(r"\b(?:the )?(?:night|evening|day) before (?:last|yesterday)\b"):
            return self._within("night", 2)
        found = self.take(rf"\b(\d{{1,2}}|{'|'.join(NUMBERS)}) (days?|nights?) ago\b")
        if found is not None:
            return self._within("night" if found[2].startswith("night") else "", int(NUMBERS.get(found[1], found[1])))
        found = self.take(r"\b(?:late |early )?(?:last (night|evening)|yesterday(?: (morning|afternoon|evening|night))?)\b")
        if found is not None:
            return self._within(found[1] or found[2] or "", 1)
        found = self.take(r"\b(?:(tonight)|today|this (morning|afternoon|evening))\b")
        if found is not None:
            return self._within("night" if found[1] else found[2] or "", 0)
        found = self.take(rf"\b(?:on |last )*({'|'.join(WEEKDAYS)})s?(?: (morning|afternoon|evening|night))?\b")
        if found is not None:
            back = (now.weekday() - WEEKDAYS.index(found[1])) % 7
            return self._within(found[2] or "", back or (7 if "last" in found[0] else 0))
        return None

    def _within(self, period: str, back: int) -> int:
        self.period = period
        return back

    def _date(self, now: date) -> date | None:
        """Read a calendar date; without a year it is the last such day."""
        months = "|".join(f"{name}|{name[:3]}" for name in MONTHS)
        forms: tuple[tuple[str, Callable[[re.Match[str]], tuple[int, int, int | None]]], ...] = (
            (r"\b(\d{4})-(\d{2})-(\d{2})\b", lambda m: (int(m[2]), int(m[3]), int(m[1]))),
            (
                rf"\b({months})\.? (\d{{1,2}})(?:st|nd|rd|th)?(?:,? (\d{{4}}))?\b",
                lambda m: (_month(m[1]), int(m[2]), _year(m[3])),
            ),
            (
                rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({months})\b(?:,? (\d{{4}}))?",
                lambda m: (_month(m[2]), int(m[1]), _year(m[3])),
            ),
            (r"\b(\d{1,2})/(\d{1,2})(?:/(\d{4}))?\b", lambda m: (int(m[1]), int(m[2]), _year(m[3]))),
        )
        for pattern, parts in forms:
            found = re.search(pattern, self.left)
            day = None if found is None else _calendar_day(*parts(found), now)
            if found is not None and day is not None:
                self.take(pattern)
                self.is_date = True
                period = self.take(r"(?<=\| )\s*(?:in the |at )?(morning|afternoon|evening|night)\b")
                of_night = self.take(r"\b(?:the )?night of\b")
                self.period = "night" if of_night is not None else period[1] if period is not None else ""
                return day
        return None

    def time(self) -> TimeTyped | None:
        """Read a time of day. "Night", "evening" and the like choose the half of the day."""
        found = self.take(rf"\b{_ABOUT}(?:(after|past|before) |(?:around|about|at|near|close to) )?\s*(midnight|noon)\b")
        if found is not None:
            shift = {"after": 10, "past": 10, "before": -10}.get(found[1] or "", 0)
            return TimeTyped(((0 if found[2] == "midnight" else 720) + shift) % 1440, False)
        found = self.take(rf"\b(half|{_MINUTES}(?: minutes?)?) (past|after|to|before|of) {_HOUR}\b{_HALF}?{_NOT_MONEY}")
        if found is not None:
            named = "thirty" if found[1] == "half" else found[2]
            minutes = {"quarter": 15, "thirty": 30, "twenty": 20}.get(named) or int(NUMBERS.get(named, named))
            sign = 1 if found[3] in ("past", "after") else -1
            return self._clock(int(NUMBERS.get(found[4], found[4])), sign * minutes, found[5])
        found = self.take(rf"\b{_ABOUT}(?:{_NEAR})?({'|'.join(NUMBERS)})[\s-]({_SPOKEN}){_HALF}?(?: or so|ish)?\b{_NOT_MONEY}")
        if found is not None:
            return self._clock(NUMBERS[found[1]], _in_words(found[2]) or 0, found[3])
        for pattern in (
            rf"\b{_ABOUT}{_NEAR}{_HOUR}(?:[:.](\d\d))?(?:{_HALF}| ?oclock)?(?: ?-?ish)?\b{_NOT_MONEY}",
            rf"\b{_HOUR}(?:[:.](\d\d))?{_HALF}(?: ?-?ish\b)?",
            r"\b(\d{1,2}):(\d\d)()(?!\d)",
            rf"\b{_HOUR}()()(?: ?oclock| ?-?ish| (?=(?:in the|at) (?:morning|afternoon|evening|night)))\b",
        ):
            found = re.search(pattern, self.left)
            typed = None if found is None else self._clock(int(NUMBERS.get(found[1], found[1])), int(found[2] or 0), found[3])
            if found is not None and typed is not None:
                self.take(re.escape(found[0].strip()))
                return typed
        return self.part_of_day()

    def part_of_day(self) -> TimeTyped | None:
        """Read a part of the day: "around lunch", "some time in the afternoon", or that of the day named."""
        parts = "|".join(PARTS_OF_DAY)
        found = self.take(rf"\b{_ABOUT}(?:{_NEAR})?(?:during |in |over )?(?:the |my |his )?({parts})(?: ?time)?\b(?! before)")
        named = self.period if found is None else found[1]
        return None if found is None and named == "night" else PARTS_OF_DAY.get(named)

    def _clock(self, hour: int, minutes: int, half: str | None) -> TimeTyped | None:
        """Return a time from an hour and minutes after (or before) it, in the half of the day named or implied."""
        if hour > 23 or minutes > 59 or (half and not 1 <= hour <= 12):
            return None
        at = hour * 60 + minutes
        if half:
            return TimeTyped(((hour % 12 + (12 if half[0] == "p" else 0)) * 60 + minutes) % 1440, False)
        if hour > 12 or hour == 0:
            return TimeTyped(at % 1440, False)
        period = self._period_said() or self.period
        is_evening = period in ("night", "evening")
        if period == "afternoon" or (is_evening and 5 <= hour <= 11):
            return TimeTyped(((hour % 12 + 12) * 60 + minutes) % 1440, False)
        if period == "morning" or is_evening:
            return TimeTyped((hour % 12 * 60 + minutes) % 1440, False)
        return TimeTyped(at % 1440, True)

    def _period_said(self) -> str:
        found = self.take(r"\b(?:in the |at )(morning|afternoon|evening|night)\b")
        return "" if found is None else found[1]

    def gaming_day(self, day: date | None, time: TimeTyped | None) -> date | None:
        """Return the gaming day of a date and a time: a time past midnight belongs to the day before."""
        if day is None or time is None or time.either_half or time.minutes >= CUTOVER:
            return day
        if self.is_date and self.period != "night":
            day -= timedelta(days=1)
        after = day + timedelta(days=1)
        self.notes.append(f"past midnight: the gaming day {day_words(day)} goes on into the morning of {day_words(after)}")
        return day

    # -------------------------------------------------------------------------------------------------------------- cards

    def cards(self) -> str:
        """Read the words that are cards: those that can mean nothing else, and ranks next to these."""
        words = re.findall(r"[^\s,;/&+|]+|[,;/&+|]", self.left)
        strong = [_is_card(word) for word in words]
        chosen = list(strong)
        for _ in range(len(words)):
            grown = [each or (_is_rank(words[i]) and any(chosen[j] for j in _beside(words, i))) for i, each in enumerate(chosen)]
            if grown == chosen:
                break
            chosen = grown
        kept = [word for word, taken in zip(words, chosen, strict=True) if taken or word in ",;/&+|"]
        self.left = " ".join(word for word, taken in zip(words, chosen, strict=True) if not taken)
        return re.sub(r"\s*(?:[,;/&+|]\s*)+", ", ", " ".join(kept)).strip(", ")

    def rest(self) -> tuple[str, ...]:
        """Return the words not read, without fillers."""
        words = re.findall(r"[^\s,;|.!?()\"&+/-]+", self.left)
        return tuple(dict.fromkeys(word for word in words if word not in QUIET and word != ":"))


def _cents(found: re.Match[str]) -> int | None:
    return int(found[1].replace(",", "")) * 100 + int(found[2] or 0) or None


def _in_words(text: str) -> int | None:
    """Return a number in words, up to some thousands.

    >>> _in_words("a hundred and twenty-five"), _in_words("twelve hundred"), _in_words("and")
    (125, 1200, None)
    """
    whole, part, read = 0, 0, False
    for word in re.split(r"[\s-]+", text.strip()):
        if word in ("", "a", "and"):
            continue
        read = True
        if word == "hundred":
            part = (part or 1) * 100
        elif word == "thousand":
            whole, part = whole + (part or 1) * 1_000, 0
        else:
            part += NUMBERS.get(word) or TENS[word]
    return whole + part if read else None


def _month(name: str) -> int:
    return next(i for i, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def _year(text: str | None) -> int | None:
    return int(text) if text else None


def _calendar_day(month: int, day: int, year: int | None, now: date) -> date | None:
    """Return a date (the latest past one if the year is missing); None if the calendar does not have it."""
    for each in (year,) if year is not None else range(now.year, now.year - 5, -1):
        try:
            found = date(each, month, day)
        except ValueError:
            continue
        if year is not None or found <= now:
            return found
    return None


_LETTERS: Final = frozenset(name for name in RANKS if name.isalpha() and name not in NUMBERS and name not in ("trey", "deuce"))
_FACES: Final = frozenset({*_LETTERS, "joker", "jk", "trey", "deuce", *SUITS})


def _is_card(word: str) -> bool:
    """Return whether a word can only mean a card: a face, a suit, a code such as `As` or `10♦`, `tens`."""
    bare = word.strip('.:!?()"')
    singular = bare.removesuffix("s")
    if bare in ("pair", "as", "is"):
        return bare == "pair"
    if bare in _FACES or singular in _FACES or (singular in RANKS and bare != singular and singular.isalpha()):
        return True
    codes = re.fullmatch(r"(?:(?:10|[2-9tjqka])[shdc\u2660-\u2667]|jk)+", bare)
    return codes is not None


def _is_rank(word: str) -> bool:
    bare = word.strip('.:!?()"')
    return bare in RANKS or bare in ("of", "a") or re.fullmatch(r"[2-9tjqka]|10", bare) is not None


def _beside(words: Sequence[str], place: int) -> list[int]:
    """Return the indexes of words next to a word, past a comma, "of", "and" and "the"."""
    found = []
    for step in (-1, 1):
        at = place + step
        while 0 <= at < len(words) and words[at] in (",", "&", "+", "/", "and", "the", "of", "a"):
            at += step
        if 0 <= at < len(words):
            found.append(at)
    return found
