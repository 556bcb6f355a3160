"""Book-keeping over the golden rounds: titles, cards dealt too often, cards of a hand, the form of money.

It ranks nothing and imports nothing of the project, so that the expectations stay independent of the program.
Run it as `python tests/golden/check_cards.py`; it prints each fault as file:line and ends with 1 if there is any.

A comment switches one check off for its case if the fault is what the case is about:
`# cards: twice` (`# cards: seven` with six decks), `# cards: joker` (if none exists), `# cards: count`, `# cards: set`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class CardCounts(NamedTuple):
    """A game's cards: how many make a hand, how many copies of each there are, and jokers."""

    hand: int = 7
    copies: int = 1
    jokers: int = 1


GAMES = {"686a": CardCounts(hand=3, copies=6, jokers=0), "687a": CardCounts(hand=5)}
"""Of the folders whose game does not have the cards of 688a."""

DECK = {rank + suit for rank in "23456789TJQKA" for suit in "shdc"} | {"Jk"}
MONEY = re.compile(r"[+-]?(\d+)\.(\d\d)")
METER = re.compile(r"(meter|after)=\d+\.(\d\d|\d{4})")


def statements(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield (line number, statement, comment) of each line that is not blank."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text, _, comment = line.partition("#")
        if line.strip():
            yield number, text.strip(), comment.strip()


def cases(path: Path) -> Iterator[tuple[str, list[tuple[int, str, str]]]]:
    """Yield each case: its title and its lines."""
    title, lines = "", []
    for number, text, comment in statements(path):
        if text.startswith("==="):
            if title:
                yield title, lines
            title, lines = text.removeprefix("===").strip(), []
        else:
            lines.append((number, text, comment))
    if title:
        yield title, lines


def hands(words: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield (position, cards) of a deal line's words."""
    position, cards = "", []
    for word in words:
        head, equals, card = word.partition("=")
        if equals:
            if position:
                yield position, cards
            position, cards = head, [card] if card else []
        else:
            cards.append(word)
    if position:
        yield position, cards


def faults_of_round(lines: list[tuple[int, str, str]], off: set[str], game: CardCounts) -> Iterator[tuple[int, str]]:
    """Yield (line, fault) of the lines of one round."""
    seen: list[str] = []
    dealt: dict[str, list[str]] = {}
    last: dict[str, int] = {}
    for number, text, _ in lines:
        keyword, *words = text.split()
        stacks: list[tuple[str, list[str]]] = []
        if keyword in ("deal", "deal_order"):
            stacks = list(hands(words))
        elif keyword == "deal_each":
            order = ["seat1", "seat2", "seat3", "seat4", "seat5", "seat6", "dealer"]
            start = order.index(words[0].replace("=", ""))
            for place in range(7):
                stacks.append((order[(start + place) % 7], words[1 + place :: 7]))
        for position, cards in stacks:
            if position.startswith("pile"):  # the same cards are given out as hands
                continue
            dealt.setdefault(position, []).extend(cards)
            last[position] = number
            for card in cards:
                if card != "??" and card not in DECK:
                    yield number, f"{card} is no card"
                if card == "Jk" and not game.jokers and "joker" not in off:
                    yield number, "a joker"
                if card != "??" and seen.count(card) >= game.copies and not off & {"twice", "seven"}:
                    yield number, f"{card} more than {game.copies} times"
                seen.append(card)
        if keyword in ("set", "reset") and words[-1] != "house_way" and "set" not in off:
            position = "dealer" if words[0] == "dealer" else words[0].replace("=", "")
            held = [card for _, part in hands(words[1:]) for card in part if card not in ("house_way", "changed")]
            missing = dealt.get(position, [])
            if "??" not in missing and sorted(held) != sorted(missing):
                yield number, f"{position} set with other cards than dealt"
    for position, cards in dealt.items():
        if len(cards) != (1 if position == "side" else game.hand) and position != "burn" and "count" not in off:
            yield last[position], f"{position} has {len(cards)} cards"


def faults(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, fault) of a file."""
    titles: set[str] = set()
    game = GAMES.get(path.parent.name, CardCounts())
    for title, lines in cases(path):
        first = lines[0][0] if lines else 0
        if title in titles:
            yield first, f"title twice: {title}"
        titles.add(title)
        if not title.upper().startswith(path.parent.name.removesuffix("-proposed").upper()):
            yield first, f"title without section: {title}"
        if not any(text.startswith("expect ") for _, text, _ in lines):
            yield first, f"nothing expected: {title}"
        expected = {tuple(text.split()[1:]) for _, text, _ in lines if text.startswith("expect ")}
        if ("verdict", "UNDETERMINED") in expected and not any(words[0] == "undetermined" for words in expected):
            yield first, f"UNDETERMINED without a reason: {title}"
        off = {word for _, _, comment in lines if comment.startswith("cards:") for word in comment.split()[1:]}
        of_round: list[tuple[int, str, str]] = []
        for number, text, comment in lines:
            if text.split()[:1] == ["round"]:
                yield from faults_of_round(of_round, off, game)
                of_round = []
            elif text:
                of_round.append((number, text, comment))
            for word in () if text.startswith("expect undetermined") else text.split():
                if "." in word and word[0] in "+-0123456789" and not MONEY.fullmatch(word):
                    yield number, f"{word} is not money"
                if word.startswith(("meter=", "after=")) and "." in word and not METER.fullmatch(word):
                    yield number, f"{word} is no meter reading"
            if text.startswith(("expect due", "expect done")) and not re.fullmatch(
                r"expect (due|done) seat=[1-7] [a-z_0-9]+ (unknown|0\.00|[+-]\d+\.\d\d)", " ".join(text.split())
            ):
                yield number, f"form of expectation: {text}"
        yield from faults_of_round(of_round, off, game)


def main() -> int:
    """Check the golden rounds of all games and print the faults and the number of cases."""
    found = 0
    total = 0
    for path in sorted((Path(__file__).resolve().parents[2] / "games").glob("*/rounds/*/*.rounds")):
        count = sum(1 for _ in cases(path))
        total += count
        sys.stdout.write(f"{count:4d}  {path.name}" + "\n")
        for number, fault in faults(path):
            found += 1
            sys.stdout.write(f"{path}:{number}: {fault}" + "\n")
    sys.stdout.write(f"{total:4d}  cases" + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
