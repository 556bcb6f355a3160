"""Rounds at full tables from a seed: six patrons, every wager, settled as `games` says; transcripts, then device reports."""

from collections.abc import Iterator, Sequence
from random import Random

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import Draft
from games.face_up_pai_gow.settle import settle
from replay.transcript.transcript import Script, drafts, parse
from rulebook.cards.cards import show
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import BettingBox, Hand, MeterAtSettlement, TableLayout
from rulebook.settlement.bonus import is_qualifying, seven_card
from rulebook.settlement.pai_gow import Position, clockwise_from, starting_position
from rulebook.settlement.progressive import contribution
from rulebook.settlement.wagers import Due, Outcome

RULES = "pa-688a ace_high_bonus=1 fortune_bonus=3 progressive=1 meter=m-1 max_payout=50000.00"
SEED_CENTICENTS = 100_000_000
STAKES = {"base": 2500, "ace_high_bonus": 500, "fortune_bonus": 500, "progressive": 100}
"""Every wager; half of the patrons wager a dollar less on Fortune and hold no Envy lammer."""
SEATS = (6, 5, 4, 3, 2, 1)
DEVICES = {
    model.CardsDealt: "shoe",
    model.CardsShuffled: "shuffler",
    model.DiceRolled: "shaker",
    model.ShakerShaken: "shaker",
    model.TotalAnnounced: "shaker",
    model.StartAnnounced: "shaker",
    model.ShakerCovered: "shaker",
    model.ProgressiveAccepted: "controller",
    model.ProgressiveLocked: "controller",
}
"""Who reports what; the layout reports the rest."""


class Table:
    """One table: writes its rounds as a transcript, and yields them as groups of drafts, one for each round."""

    def __init__(self, name: str, seed: int) -> None:
        self.name, self.random = name, Random(f"{seed}/{name}")
        self.book: Rulebook = parse_submission(submission_from_words(RULES.split()))
        self.meter = SEED_CENTICENTS
        self._counters: dict[str, int] = {}

    def groups(self, rounds: int) -> list[tuple[str, list[Draft]]]:
        """Return the opening of the gaming day and this many rounds, each a group."""
        text = [f"table {self.name}", f"rules {RULES}"]
        for number in range(1, rounds + 1):
            text += self._round(number)
        scripts = parse("\n".join(text), self.name)
        return [(f"table/{self.name}", self._reports(script, first=script is scripts[0])) for script in scripts]

    def _reports(self, script: Script, first: bool) -> list[Draft]:
        made = drafts(script)
        if first:
            day = model.GamingDayOpened(gaming_day=script.gaming_day)
            opening = msgspec.structs.replace(made[0], event_id="f" * 32, payload=day)
            made = [opening, *made]
        return [self._from_device(draft) for draft in made]

    def _from_device(self, draft: Draft) -> Draft:
        device = DEVICES.get(type(draft.payload), "layout")
        self._counters[device] = self._counters.get(device, 0) + 1
        source = f"{self.name}-{device}"
        return msgspec.structs.replace(draft, source=source, source_seq=self._counters[device])

    def _round(self, number: int) -> list[str]:
        hands = self._deal()
        while self._takes_the_meter(hands):
            hands = self._deal()
        way = self.book.way
        ways = {position: way.choose(cards) for position, cards in hands.items()}
        boxes = [
            BettingBox(seat, f"p-{seat}", Hand(hands[seat], ways[seat].high, ways[seat].low), stakes_of(seat))
            for seat in sorted(SEATS)
        ]
        dealer = Hand(hands["dealer"], ways["dealer"].high, ways["dealer"].low)
        dice = [self.random.randrange(1, 7) for _ in range(3)]
        order = clockwise_from(starting_position(sum(dice)))
        text = [f"round {number}", "covers equipment", "shuffle automated"]
        for seat in sorted(SEATS):
            placed = " ".join(f"{wager} {show_money(cents)}" for wager, cents in stakes_of(seat).items())
            text.append(f"wager seat={seat} bettor=p-{seat} {placed}")
        text += [f"lammer seat={seat} fortune_bonus" for seat in sorted(SEATS) if is_lammer_due(self.book, seat)]
        for seat in sorted(SEATS):
            self.meter += contribution(STAKES["progressive"], 2800)
            text.append(f"accepted seat={seat} 1.00 meter={self.meter // 10_000}.{self.meter % 10_000:04d}")
        text += ["lock accepted=6 collected=6", "no_more_bets", "shake 3"]
        text.append(f"dice {dice[0]} {dice[1]} {dice[2]} total={sum(dice)} -> {_at(order[0])}")
        text.append("deal_order " + " ".join(f"{_at(position)}={show(hands[position])}" for position in order))
        text += ["shaker_covered", "shake 1", "stub 4"]
        text += [
            f"set {_at(position)} high={show(ways[position].high)} low={show(ways[position].low)}"
            for position in ("dealer", *SEATS)
        ]
        text += self._settlement(
            settle(self.book, TableLayout(boxes=boxes, dealer=dealer, meter=MeterAtSettlement(reading=self.meter))), hands
        )
        return [*text, "collect all 53", "close"]

    def _deal(self) -> dict[Position, tuple[int, ...]]:
        cards = self.random.sample(range(53), 49)
        positions: Sequence[Position] = ("dealer", *SEATS)
        return {position: tuple(cards[i * 7 : i * 7 + 7]) for i, position in enumerate(positions)}

    def _takes_the_meter(self, hands: dict[Position, tuple[int, ...]]) -> bool:
        """Return whether somebody wins a share of the meter: once in a hundred thousand rounds, and not measured."""
        layout = TableLayout(
            boxes=[BettingBox(seat, "", Hand(hands[seat]), STAKES) for seat in SEATS], meter=MeterAtSettlement(reading=self.meter)
        )
        return any(due.share_bp for due in settle(self.book, layout))

    def _settlement(self, dues: list[Due], hands: dict[Position, tuple[int, ...]]) -> Iterator[str]:
        fortune = self.book.offers["fortune_bonus"].paytable
        assert fortune is not None
        for seat in SEATS:
            for due in dues:
                if due.seat == seat and due.for_position is None:
                    yield from self._paid(due)
            if fortune.envy(seven_card(fortune, hands[seat])) is not None:
                yield f"acknowledge seat={seat}"
        for due in dues:
            if due.for_position is not None:
                yield f"envy seat={due.seat} for={due.for_position} fortune_bonus {show_money(due.winnings_cents)}"

    def _paid(self, due: Due) -> Iterator[str]:
        wager = f"seat={due.seat} {due.wager}"
        if due.outcome is Outcome.WIN:
            if due.wager == "progressive":
                yield f"light seat={due.seat}"
                yield f"validate seat={due.seat} progressive floorperson"
            yield f"pay {wager} {show_money(due.winnings_cents)}"
        elif due.outcome in (Outcome.TIE, Outcome.ACE_HIGH_PUSH):
            yield f"return {wager} {show_money(due.staked_cents)} push"
        elif due.wager != "progressive":
            yield f"take {wager} {show_money(due.staked_cents)}"


def stakes_of(seat: int) -> dict[str, int]:
    """Return the wagers of a seat's patron, in cents."""
    return STAKES | {"fortune_bonus": STAKES["fortune_bonus"] - 100 * (seat % 2)}


def is_lammer_due(book: Rulebook, seat: int) -> bool:
    """Return whether a seat's Fortune wager qualifies for Envy Bonuses."""
    return is_qualifying(book, "fortune_bonus", stakes_of(seat)["fortune_bonus"])


def _at(position: Position) -> str:
    return position if isinstance(position, str) else f"seat={position}"


def full_tables(rounds: int, tables: int = 2, seed: int = 1) -> list[tuple[str, list[Draft]]]:
    """Return the groups of this many rounds in total, from the tables in turn."""
    each = [Table(f"fu-{number:02d}", seed).groups(-(-rounds // tables)) for number in range(1, tables + 1)]
    return [group for turn in zip(*each, strict=True) for group in turn]
