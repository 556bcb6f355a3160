"""A round told otherwise comes to the same: the golden rounds in other suits, in another order of cards, said twice."""

import random
import re
from collections.abc import Callable
from functools import cache

import pytest

from replay.transcript.transcript import judge
from tests.golden.rounds import GoldenCase, read_cases, round_files

pytestmark = pytest.mark.slow  # many golden rounds, each told in many ways

EVERY = 16
"""Of the golden rounds one in this many is told otherwise."""
ONCE_AND_FOR_ALL = (
    "abandon", "acknowledge", "activate", "announce", "announce_dice", "elect", "examine", "exposed", "lammer", "light", "lock",
    "no_more_bets", "offer_cut", "reveal", "surrender", "total", "touched", "validate",
)  # fmt: skip
"""Statements that change nothing when they are said again. What moves money or cards happens as often as it is said."""
ENOUGH = 15
"""Rounds tried of each of them."""

CARD = re.compile(r"\b([2-9TJQKA])([cdhs])\b")
HAND = re.compile(r"((?:high|low|medium|seat\d|dealer)=)((?:[2-9TJQKA][cdhs]|Jk|\?\?)(?: (?:[2-9TJQKA][cdhs]|Jk|\?\?))+)")
STAKE = re.compile(r"(wager\b.* [a-z_]+) (\d+)\.00((?: number=\d)?)$")
NEXT_SUIT = dict(zip("cdhs", "dhsc", strict=True))


@cache
def golden() -> list[GoldenCase]:
    return [case for path in round_files() for case in read_cases(path)]


def said_of(case: GoldenCase, text: str) -> list[tuple[str, set[str], list[tuple[object, ...]]]]:
    """Verdict, findings and money of each round of a transcript that is where the case is."""
    judged = judge(text, case.path.name, lambda name: (case.path.parent / name).read_text())
    return [
        (
            each.conclusion.verdict,
            {finding.line() for finding in each.conclusion.findings},
            [(one.seat, one.wager, one.number, one.due_cents, one.done_cents) for one in each.conclusion.settlements],
        )
        for each in judged
    ]


def in_other_suits(line: str) -> str:
    return line if line.startswith("rules") else CARD.sub(lambda card: card[1] + NEXT_SUIT[card[2]], line)


def in_another_order(line: str) -> str:
    """The cards of each hand in another order, the same wherever it is told: those of a hand that was dealt at once, or set."""

    def shuffled(hand: re.Match[str]) -> str:
        cards = hand[2].split()
        return hand[1] + " ".join(random.Random(hand[2]).sample(cards, len(cards)))

    return HAND.sub(shuffled, line) if line.split()[:1] in (["deal"], ["set"]) else line


def in_two_stacks(line: str) -> str:
    """A wager placed as two: one dollar first."""
    stake = STAKE.fullmatch(line)
    if stake is None or len(re.findall(r"\.\d\d", line)) > 1 or int(stake[2]) < 2:
        return line
    return f"{stake[1]} 1.00{stake[3]}\n{stake[1]} {int(stake[2]) - 1}.00{stake[3]}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("told", [in_other_suits, in_another_order, in_two_stacks])
@pytest.mark.parametrize("share", range(4))
def test_a_round_told_otherwise_comes_to_the_same(told: Callable[[str], str], share: int) -> None:
    changed = 0
    for case in golden()[share::4][::EVERY]:
        otherwise = "\n".join(map(told, case.transcript.split("\n")))
        changed += otherwise != case.transcript
        assert said_of(case, otherwise) == said_of(case, case.transcript), f"{case.path.name}:{case.line} {case.title}"
    assert changed > 10


@pytest.mark.parametrize("word", ONCE_AND_FOR_ALL)
def test_what_is_said_again_changes_nothing(word: str) -> None:
    tried = 0
    for case in golden():
        lines = case.transcript.split("\n")
        said = next((at for at, line in enumerate(lines) if line.split()[:1] == [word]), None)
        if said is None or tried == ENOUGH or ("verdict", "VARIANCE") in [tuple(text.split()) for _, text in case.expectations]:
            continue
        if any(text.startswith(("finding", "undetermined")) for _, text in case.expectations):
            continue
        end = next((at for at in range(said + 1, len(lines)) if lines[at].startswith(("close", "round"))), said + 1)
        for at in {said + 1, end}:
            again = "\n".join([*lines[:at], lines[said], *lines[at:]])
            assert said_of(case, again) == said_of(case, case.transcript), f"{case.path.name}:{case.line}: {lines[said]}"
        tried += 1
    assert tried
