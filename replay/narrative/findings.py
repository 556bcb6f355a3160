"""The title of each finding's code, and why it has its severity. Pure.

Invariant: a code is registered with the rules (`replay/rules/rule.py`), in the chapter of the one game that has it, or with the
faults of the log (`events/errors.py`); its title is here and nowhere else.
"""

from typing import Final

from rulebook.catalogue import finding_kinds

TITLES: Final = {
    "DEAL-TOTAL": "Dice total announcement error",
    "DEAL-START": "Wrong starting position",
    "DEAL-NOROLL": "Dealt after invalid roll",
    "DEAL-SHAKE": "Improper dice shake",
    "DEAL-ORDER": "Dealt out of order",
    "DEAL-COUNT": "Misdeal: wrong card count",
    "DEAL-STUB": "Stub count error",
    "DEAL-STUBSEEN": "Stub card exposed",
    "DEAL-STUBDUE": "Stub not counted",
    "DEAL-DECK": "Wrong card in play",
    "DEAL-FACEUP": "Face-up card mishandled",
    "DEAL-FACING": "Dealt facing wrong way",
    "DEAL-DRAWN": "Misdrawn card misused",
    "DEAL-EXPOSED": "Exposed card mishandled",
    "DEAL-ELECTION": "Late election",
    "DEAL-DEVICE": "Failed device used",
    "DEAL-SHUFFLE": "Shuffle missing",
    "DEAL-CUT": "Cut missing or wrong",
    "DEAL-COVER": "Cover card misplaced",
    "DEAL-BURN": "Burn card missing",
    "DEAL-SIDE": "Side card error",
    "DEAL-NOBETS": "Dealt before betting closed",
    "DEAL-RACK": "Discard rack error",
    "OPEN-INSPECT": "Deck not inspected",
    "OPEN-JOKER": "Joker error at opening",
    "OPEN-SPREAD": "Deck spread error",
    "OPEN-IDLE": "Reopened without wash",
    "EQUIP-DECK": "Deck overdue for change",
    "EQUIP-DICE": "Dice not as required",
    "EQUIP-ALTERNATE": "Decks not alternated",
    "EQUIP-COUNT": "Wrong count ignored",
    "EQUIP-BATCH": "Batches mixed",
    "WAGER-LATE": "Late wager",
    "WAGER-BASE": "Side wager without base",
    "WAGER-LIMIT": "Wager outside limits",
    "WAGER-FORM": "Wager form not allowed",
    "WAGER-SEATED": "Betting position error",
    "WAGER-MIDSHOE": "Mid-shoe entry",
    "WAGER-TOUCHED": "Wager handled",
    "WAGER-LAMMER": "Envy lammer error",
    "WAGER-PROGRESSIVE": "Progressive chips mismatch",
    "WAGER-LOCKOUT": "Progressive lockout error",
    "WAGER-SURRENDER": "Surrender not allowed",
    "SET-DEALER": "House way not followed",
    "SET-CARDS": "Hand differs from deal",
    "SET-CHANGED": "Set hand changed",
    "SET-EARLY": "Hands set too early",
    "SET-ORDER": "Setting order wrong",
    "PLAY-ORDER": "Played out of turn",
    "PAY-OVER": "Wager overpaid",
    "PAY-UNDER": "Wager underpaid",
    "PAY-MISSED": "Winning wager not paid",
    "PAY-LOSER": "Losing wager paid",
    "PAY-TAKEN": "Wager wrongly taken",
    "PAY-NOT-TAKEN": "Losing wager not taken",
    "PAY-FOUL": "Foul hand not taken",
    "PAY-VIG": "Vigorish error",
    "PAY-ENVY": "Envy Bonus mispayment",
    "PAY-ENVYCALL": "Envy hand not acknowledged",
    "PAY-ANNOUNCED": "Result announcement error",
    "PAY-REVEAL": "Hand reveal error",
    "PAY-METER": "Meter share mispayment",
    "PAY-SOURCE": "Wrong payout source",
    "PAY-LIGHT": "Paid without light",
    "PAY-VALIDATED": "Payout not properly validated",
    "PAY-DOCUMENTED": "Payout documentation error",
    "PAY-LIMIT": "Maximum payout misapplied",
    "PAY-VOID": "Voided wager mispaid",
    "PAY-ORDER": "Settled out of order",
    "PAY-EARLY": "Settled too early",
    "MYST-TRIGGER": "Must-Hit-By trigger error",
    "MYST-AMOUNT": "Must-Hit-By mispayment",
    "MYST-RESET": "Must-Hit-By not reset",
    "MYST-CONTRIBUTION": "Must-Hit-By contribution error",
    "MYST-COMMITMENT": "Must-Hit-By target mismatch",
    "CA-COVER": "Player-dealer coverage error",
    "CA-ROTATE": "Player-dealer not rotated",
    "CA-BUTTON": "Action button misplaced",
    "CA-PILE": "Pile distribution error",
    "CA-BACKLINE": "Backline wager not allowed",
    "CA-FEE": "Collection fee error",
    "LOG-GAP": "Event number missing",
    "LOG-SEAL": "Hash chain broken",
    "LOG-FORK": "Two histories in log",
    "LOG-UNREADABLE": "Unreadable event",
    "LOG-SOURCE-GAP": "Device message missing",
    "LOG-SOURCE-REPEAT": "Conflicting duplicate message",
    "LOG-CORRECTION": "Correction refused",
    "LOG-CLOCK": "Device clock ran back",
    "LOG-ROUND-REPEAT": "Round number used twice",
    "LOG-PINNED-RULES": "Rules do not fit",
    "LOG-OBSERVED-DIFFERS": "Two records differ",
    "LOG-FILING": "Device filed rules",
}
"""Code → its title, at most four words."""


VIDEO: Final = "See on the video whether it was so; if it was, decide about the round by the section named."
REMIND: Final = (
    "See on the video whether it was so; if it was, tell the dealer and the floorperson what the section asks."
)
AMOUNT: Final = (
    "Work out from the video what is due at that place, compare it with what was paid, and pay what is missing."
)
METER: Final = "Read the meter and its contributions from the progressive controller, and have what is wrong put right."

TO_DO: Final = {
    VIDEO: "DEAL-START DEAL-NOROLL DEAL-COUNT DEAL-DECK DEAL-FACEUP DEAL-DRAWN DEAL-EXPOSED DEAL-ELECTION DEAL-SIDE "
    "DEAL-TOTAL DEAL-ORDER WAGER-LATE WAGER-LIMIT WAGER-BASE WAGER-FORM WAGER-SEATED WAGER-MIDSHOE WAGER-TOUCHED "
    "WAGER-SURRENDER SET-DEALER SET-CARDS SET-CHANGED CA-ROTATE CA-PILE CA-BACKLINE DEAL-SHUFFLE",
    REMIND: "DEAL-SHAKE DEAL-STUBSEEN DEAL-STUBDUE DEAL-FACING DEAL-CUT DEAL-COVER DEAL-BURN DEAL-NOBETS DEAL-RACK "
    "OPEN-INSPECT OPEN-JOKER OPEN-SPREAD OPEN-IDLE EQUIP-ALTERNATE SET-EARLY SET-ORDER PLAY-ORDER PAY-ENVYCALL "
    "PAY-ANNOUNCED PAY-REVEAL PAY-SOURCE PAY-LIGHT PAY-VALIDATED PAY-ORDER PAY-EARLY WAGER-LAMMER",
    AMOUNT: "PAY-OVER PAY-UNDER PAY-MISSED PAY-LOSER PAY-TAKEN PAY-NOT-TAKEN PAY-FOUL PAY-VIG PAY-ENVY PAY-LIMIT PAY-VOID "
    "CA-COVER MYST-AMOUNT",
    METER: "PAY-METER MYST-CONTRIBUTION MYST-COMMITMENT",
    "Have the meter reset by the progressive controller, and its reset recorded.": "MYST-RESET",
    "Read the target and the contributions from the progressive controller: the whole meter belongs to the player whose "
    "contribution first lifted it above the target.": "MYST-TRIGGER",
    "See on the video where the action button belonged; settle again by that order if it decided what was covered.": "CA-BUTTON",
    "Compare the fee with the schedule on file: give back what is too much, and note what is too little.": "CA-FEE",
    "Count the deck; if a card is missing or one is too many, take the deck from the table and replace it.": "DEAL-STUB",
    "Take the deck from the table, and replace it.": "EQUIP-DECK EQUIP-COUNT",
    "Compare the batches at the table with the color of their backs; take from the table which does not belong.": "EQUIP-BATCH",
    "Take the dice from the table, and replace them.": "EQUIP-DICE",
    "Cover the device until it is repaired, and see on the video what it dealt or shuffled.": "DEAL-DEVICE",
    "Count the progressive wagers of the round on the video, and compare them with the lock.": "WAGER-PROGRESSIVE WAGER-LOCKOUT",
    "Complete the payout form, with its signatures.": "PAY-DOCUMENTED",
    "Have the device hand in the missing messages; if it lost them, decide by the video.": "LOG-SOURCE-GAP",
    "Find out which of the two messages is right, and correct the other.": "LOG-SOURCE-REPEAT LOG-OBSERVED-DIFFERS",
    "Enter the correction again, with the number and the id of the event that it is about.": "LOG-CORRECTION",
    "Set the device's clock.": "LOG-CLOCK",
    "Find out which record of the round is right, and take the other back with a correction.": "LOG-ROUND-REPEAT",
    "Enter the round again, by the rules that the table had on file on that day.": "LOG-PINNED-RULES",
    "Have the office file the rules if they are right, and take the right to file from the device.": "LOG-FILING",
    "Keep log and archive as they are, and have an auditor compare them with the witness's checkpoints.": "LOG-GAP LOG-SEAL "
    "LOG-FORK",
    "Replay with the version of the program that wrote the event, or a later one.": "LOG-UNREADABLE",
}
"""What to do about a finding without money: the sentence → the codes, a word each."""
_TO_DO_BY_CODE: Final = {code: sentence for sentence, codes in TO_DO.items() for code in codes.split()}


def to_do_about(code: str) -> str:
    """Return what is to be done about a finding of which no amount is found.

    >>> to_do_about("LOG-CLOCK"), to_do_about("XX-OWN") == VIDEO
    ("Set the device's clock.", True)
    """
    return _TO_DO_BY_CODE.get(code, VIDEO)


def finding_title(code: str) -> str:
    """Return a code's title, in at most four words; an unknown code is its own title."""
    title = TITLES.get(code)
    if title is None and code in (kinds := finding_kinds()):
        return kinds[code].title
    return title or code


def severity_reason(code: str, severity: str, difference_cents: int | None) -> str:
    """Return why a finding has its severity.

    >>> severity_reason("PAY-UNDER", "high", -10000), severity_reason("DEAL-SHAKE", "low", None)
    ('money was paid or taken in error', 'procedure only: no result and no money rests on it')
    """
    if difference_cents:
        return "money was paid or taken in error"
    if code.startswith("LOG-"):
        return "the record itself is in doubt"
    if severity == "high":
        return "the result of the round, or money, rests on it"
    if severity == "medium":
        return "a rule that protects the result was broken; no mispayment is known"
    return "procedure only: no result and no money rests on it"
