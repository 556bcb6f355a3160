"""The words of a complaint: people's names of numbers, days, wagers, hands, chips and complaints."""

import re
from collections.abc import Mapping
from typing import Final

from analytics.search.disputes import Complaint
from analytics.search.remembered import RANKS, SUITS

NUMBERS: Final = {
    name: value
    for value, name in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 1
    )
}

ORDINALS: Final = {
    name: value for value, name in enumerate(("first", "second", "third", "fourth", "fifth", "sixth", "seventh"), 1)
}

TENS: Final = {
    "thirteen": 13,
    "fourteen": 14,
    "fifteen": 15,
    "sixteen": 16,
    "seventeen": 17,
    "eighteen": 18,
    "nineteen": 19,
    "twenty": 20,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
"""Numbers that are no hour and no seat, but minutes, and what is wagered."""

WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

DAY_CODES: Final = "mon|tues?|weds?|thu|thurs?|fri|(?:on|last) sat|sun"
"""A weekday in short; "sat" alone is what somebody did."""

MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)

WAGERS: Final[Mapping[str, tuple[str, ...]]] = {
    "base": ("base wager", "base bet", "main bet", "main wager", "main hand bet", "original bet"),
    "ace_high_bonus": ("ace high bonus", "ace high bet", "ace high wager", "ace high side bet"),
    "fortune_bonus": ("fortune bonus", "fortune bet", "fortune wager", "fortune side bet", "fortune"),
    "progressive": ("progressive jackpot", "progressive bet", "progressive wager", "progressive", "jackpot"),
    "tiger_9": ("tiger 9", "tiger nine"),
    "mystery": ("must hit by bonus", "must hit by", "mystery bonus", "mystery jackpot", "mystery"),
    "insurance": ("insurance bet", "insurance wager", "insurance"),
    "ante": ("ante bet", "ante wager", "ante"),
    "bonus": ("bonus bet", "bonus wager", "bonus"),
    "over": ("over 23", "over bet", "over wager"),
    "under": ("under 18", "under bet", "under wager"),
    "sum": ("sum bet", "sum wager"),
    "match": ("match bet", "match wager"),
    "beat_it": ("beat it bet", "beat it wager", "beat it"),
    "blind": ("blind bet", "blind wager", "blind"),
    "raise": ("raise bet", "raise wager", "raise"),
    "trips": ("trips bet", "trips wager", "trips bonus"),
    "bad_beat": ("two way bad beat", "bad beat bonus", "bad beat bet", "bad beat"),
    "backline": ("backline bet", "backline wager", "backline", "back line"),
}
"""Wager → how people call it. A word that means something else as well needs "bet" or "wager" after it."""

QUIET: Final = frozenset(
    re.findall(
        r"[a-z]+",
        """
        a about after again all also although am an and any are around as at back be because been before bet bets
        between boss but by came can card cards casino claim claims collected complained could customer day dealer dealt
        did didnt do does dollars dude during each fellow folks for from game gave gentleman get given go got guest guy
        had hand hands has have he held her high him his hit i in instead into is it its just lady last least little
        lost low maam man me miss mister money more most mr mrs ms much my never night no not nothing of off on one only
        or our out over owed owes paid patron pay payed payout played player playing push pushed put right round said same saw
        says seat seated set she short should side sir sat sitting so some somebody someone something still supposed table
        take taken that the their them then there they think this time to told too took under until up us wager wagered
        wagers was we went were what when where which while who will with woman won wrong yesterday you your
        """,
    )
)
"""Words that help to identify no round."""

_WHOM: Final = "(?:me |him |her |them |us |out )*"

COMPLAINTS: Final[tuple[tuple[Complaint, str], ...]] = (
    ("over", rf"overpaid|over paid|paid {_WHOM}(?:too much|twice|double|an extra|extra)|too much"),
    (
        "short",
        rf"paid {_WHOM}short|short(?:ed|changed| changed| paid)|underpaid|under paid|too little|not enough"
        r"|(?:\d+(?:\.\d\d)?|dollars?|bucks|\|) +(?:short|light|less)(?: than (?:due|owed))?"
        r"|less than (?:i|he|she|they|we) should(?: have)?"
        r"|(?:was|were|got|did|does|is)(?: not|nt) (?:get |getting |have )?(?:any )?(?:paid|pay|payout|money)"
        r"|never (?:got )?(?:paid|pay)|not paid|nothing (?:was )?paid|got nothing|no payout"
        r"|should have (?:pushed|been a push|won|been paid|gotten|got)|took (?:my|his|her|their|the) (?:bet|money|chips|wager)"
        r"|still owes?|is owed|(?:we|you|they) owe|forgot to pay|skipped",
    ),
    (
        "wrong",
        r"(?:paid |got paid |paid out )?(?:the )?wrong(?:ly)? ?(?:money|amount|payout|paid|pay)?|mispaid"
        r"|incorrect(?:ly)?(?: paid)?",
    ),
)
"""Complaint → the words that people use for it. The first match counts."""

_PLURALS: Final = "(?:aces|kings|queens|jacks|tens|nines|eights|sevens|sixes|fives|fours|threes|twos)"

HAND_WORDS: Final[Mapping[str, str]] = {
    "both ace high": r"both (?:of us |had |were |with )*(?:an )?ace high|ace high (?:each|both)|two ace highs",
    "dealer ace high": r"dealer(?:s)? (?:only )?(?:had|has|have|showed|with|got|was|hand was)? ?(?:an |only )*ace high",
    "five aces": r"five aces|5 aces",
    "royal match": r"royal match",
    "royal flush": r"royal(?: flush)?",
    "straight flush": r"(?:seven card |7 card )?straight flush",
    "four of a kind": rf"four of a kind|4 of a kind|quads?|(?:four|4) {_PLURALS}",
    "full house": r"full (?:house|boat)|boat",
    "flush": r"flush",
    "straight": r"straight",
    "three of a kind": rf"three of a kind|3 of a kind|(?:trip|three|set of) {_PLURALS}|trips(?! (?:bet|wager|bonus))",
    "three pairs": r"three pairs?|3 pairs?",
}
"""Hand (`disputes.HANDS`) → how people say it, longest first."""

CHIPS: Final[Mapping[str, int]] = {"red": 500, "green": 2_500, "black": 10_000, "purple": 50_000, "yellow": 100_000}
"""Color of a chip → what it is worth in most houses, in cents."""

SPOKEN_MONEY: Final[Mapping[str, str]] = {"EUR": "euros?", "GBP": "pounds?|quid", "CHF": "francs?", "MXN": "pesos?"}
"""Currency (ISO 4217) → how it is called, for currencies other than dollars."""

SPELLED: Final = tuple(
    dict.fromkeys(
        word
        for word in re.findall(
            r"[a-z]+",
            """
            seat table round around about yesterday tonight today last night morning afternoon evening lunch dinner noon
            midnight oclock quarter half dealer player paid short shorted underpaid overpaid wrong only dollars bucks lost
            wagered ante blind trips insurance kings queens jacks aces spades hearts diamonds clubs joker pair house
            straight flush royal hundred thousand
            """
            + " ".join([*NUMBERS, *TENS, *ORDINALS, *WEEKDAYS, *MONTHS, *(name for names in WAGERS.values() for name in names)]),
        )
        if len(word) > 3
    )
)
"""Words that a misspelled one is held against."""
KNOWN: Final = frozenset(
    {*SPELLED, *QUIET, *RANKS, *SUITS, *(word for words in HAND_WORDS.values() for word in re.findall("[a-z]+", words))}
)
