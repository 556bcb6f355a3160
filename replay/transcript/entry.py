"""The data of a form for typing a round by hand, and the answer to it: plain values, for any screen.

Invariant: it judges nothing itself. A form turns typed input into a transcript (`docs/transcript.md`), and `answer` is the result
of `judge` on that text, in the sentences of page, packet and command.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from typing import Any

from replay.findings import Settlement
from replay.incidents import incidents
from replay.narrative.findings import TITLES, finding_title
from replay.narrative.incidents import incident_sentence
from replay.narrative.names import amount, difference, line_name, listed, readable, wager_with_number
from replay.narrative.reckoning import actions, reckoning, settled_wager
from replay.narrative.verdicts import RoundVerdict, doubts_about, narrate
from replay.rules.order import rules_in_order
from replay.transcript.transcript import JudgedRound, judge
from replay.transcript.words import CURRENCY, TranscriptError
from rulebook.catalogue import GAMES
from rulebook.chapters.chapters import WagerRule, chapter, known_chapters
from rulebook.chapters.rulebook import RulesRefused

AFTER_THE_DEAL = ("further_cards", "reveal")
"""What ends the time for a wager that is placed after the first cards are dealt (`WagerRule.closes`)."""

WITH_A_NUMBER = "match"
"""The wager that is placed on a number from 1 to 6 (58 Pa. Code § 645c.2(e)(2))."""


def forms() -> list[dict[str, Any]]:
    """Return the form data of every chapter, in the order of the catalogue: see `form`."""
    return [form(key) for key in known_chapters()]


def form(key: str) -> dict[str, Any]:
    """Return the seats, hands and wagers of a chapter, as JSON values.

    `copies` is the number of copies of each card; `first_cards` the number of a hand's cards dealt before the `late` wagers;
    `hands` the sizes of the hands to set, in typing order. A wager's `letter` is its key.
    """
    jurisdiction, _, name = key.partition("-")
    text = chapter(jurisdiction, name)
    game = GAMES[text.game]
    wagers = list(text.wagers.values())
    letters = letters_of([game.wagers.get(wager.name, wager.name) for wager in wagers])
    in_turn = any(wager.closes == "further_cards" for wager in wagers)
    return {
        "key": key,
        "title": text.title,
        "section": f"{jurisdiction.upper()} {text.name}",
        "seats": len(text.seats),
        "cards": text.numbers["cards_per_hand"],
        "first_cards": 1 if in_turn else text.numbers["cards_per_hand"],
        "copies": text.numbers.get("copies", 1),
        "joker": text.numbers.get("jokers", 0) > 0,
        "hands": dict(game.hands),
        "house_way": text.house_way is not None,
        "dealer": game.worth is None,
        "bank": game.patron_banked,
        "wagers": [_wager(wager, game.wagers, letter) for wager, letter in zip(wagers, letters, strict=True)],
    }


def _wager(wager: WagerRule, titles: Mapping[str, str], letter: str) -> dict[str, Any]:
    """Return the form data of a wager. `files`: possible values of its word in a `rules` line; empty if it need not be filed."""
    return {
        "name": wager.name,
        "title": titles.get(wager.name, wager.name).removesuffix(" wager"),
        "letter": letter,
        "files": [] if wager.always or wager.of is not None else list(wager.paytables) or ["yes"],
        "late": wager.closes in AFTER_THE_DEAL,
        "number": wager.name == WITH_A_NUMBER,
    }


def letters_of(titles: Sequence[str]) -> list[str]:
    """Return a letter for each wager: the first of its title, or for a later wager the next of it that no other has.

    >>> letters_of(["Base wager", "Backline", "Ace High Bonus", "Trips"])
    ['b', 'c', 'a', 't']
    """
    letters = [title[0].lower() for title in titles]
    for place, title in enumerate(titles):
        if letters[place] in letters[:place]:
            own = [letter for letter in title.lower() + ascii_lowercase if letter.isalpha()]
            letters[place] = next(letter for letter in own if letter not in letters)
    return letters


NO_RULE = "A fault of the log or of an observed round: [log contract](log-contract.md)."
"""The explanation of a code that no rule finds."""


@cache
def explanations() -> Mapping[str, tuple[str, ...]]:
    """Return code → the first paragraph of each rule that finds it."""
    says: dict[str, dict[str, None]] = {code: {} for code in TITLES}
    for rule in rules_in_order():
        paragraph = " ".join((rule.evaluate.__doc__ or "").partition("\n\n")[0].split())
        for code in rule.codes:
            says.setdefault(code, {})[re.sub(r"[<>\[\]]", "", paragraph)] = None
    return {code: tuple(said) or (NO_RULE,) for code, said in sorted(says.items())}


FILED = "filed.toml"
"""The file named by a `rules` line for the rules on file."""


def answer(text: str, currency: str = CURRENCY, filed: str | None = None) -> dict[str, Any]:
    """Return the answer to a transcript: its rounds in the form of `_round`, or the line that was not understood.

    `filed` is the text of the rules that `rules filed.toml` stands for.

    A text that cannot be read is an answer, not an error: the text may be in the middle of a line.
    """
    try:
        judged = judge(text, "entry", None if filed is None else lambda name: filed)
    except TranscriptError as error:
        return {"error": {"line": error.line, "words": error.message}, "rounds": []}
    except RulesRefused as error:
        return {"error": {"line": None, "words": str(error)}, "rounds": []}
    return {"error": None, "rounds": [_round(each, currency) for each in judged]}


def _round(judged: JudgedRound, currency: str) -> dict[str, Any]:
    """A judged round: the sentence, every wager's money in words, and the corrections with their sections."""
    conclusion, key = judged.conclusion, judged.book.chapter.key
    narrative = narrate(RoundVerdict.of(conclusion), currency=currency)
    found = []
    for incident in incidents(conclusion.findings):
        cause = incident.cause
        settled = settled_wager(conclusion.settlements, cause.seat, cause.wager, cause.difference_cents)
        numbers = sorted({judged.lines[seq] for seq in cause.evidence if seq in judged.lines})
        found.append(
            {
                "sentence": incident_sentence(incident, currency),
                "code": cause.code,
                "explanation": f"{finding_title(cause.code)}. {' '.join(explanations()[cause.code])}",
                "to_do": actions(incident, currency),
                "expected": readable(cause.expected, currency),
                "observed": readable(cause.observed, currency),
                "calculation": "" if settled is None else reckoning(settled, key, currency),
                "section": cause.cite,
                "other_reading": readable(cause.other_reading or "", currency),
                "lines": numbers,
                "consequences": [incident_sentence(each, currency) for each in incidents(incident.consequences)],
            }
        )
    return {
        "verdict": conclusion.verdict,
        "outcome": narrative.outcome,
        "sentence": narrative.sentence,
        "wagers": [_settled(each, conclusion.undetermined, currency) for each in conclusion.settlements],
        "findings": found,
    }


def _settled(settled: Settlement, undetermined: Sequence[str], currency: str) -> dict[str, Any]:
    """A wager in words; `due` and `done` are the patron's net, empty if not known or not settled."""
    due, done = settled.due_cents, settled.done_cents
    doubts = doubts_about(settled.seat, settled.wager, undetermined, due_is_known=due is not None)
    return {
        "seat": settled.seat,
        "wager": wager_with_number(settled.wager, settled.number),
        "staked": amount(settled.staked_cents, currency),
        "due": "" if due is None else difference(due, currency),
        "done": "" if done is None else difference(done, currency),
        "differs": "" if due is None or done is None or due == done else difference(done - due, currency),
        "line": line_name(settled.line),
        "doubt": readable(listed(doubts)) if doubts else "",
        "section": settled.cite,
    }
