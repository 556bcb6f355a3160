"""What an auditor is promised of a verdict: money is conserved, suits are alike, and what is not known is not guessed."""

import functools
from collections.abc import Callable

import msgspec
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from events.log.result_chain import CHAINED
from events.vocabulary import model
from replay.findings import Settlement
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.replayer import MemoryResults, replay
from rulebook.cards.cards import CODE, DECK, JOKER, TEXT
from rulebook.chapters.rulebook import Rulebook, parse_submission
from tests.replay.tables import MemoryLog, Table, rules_text

WORDS = "pa-688a ace_high_bonus=1 fortune_bonus=2 progressive=1 max_payout=1000000.00"
"""Fortune 2 has an Envy column, Progressive 1 a meter."""
SECOND_WORDS = "pa-688a ace_high_bonus=3 fortune_bonus=1 progressive=5"
POSITIONS = (1, 2, 3, 4, 5, 6, "dealer")
SEATS = (1, 2, 3, 4, 5, 6)
OPTIONAL = {"ace_high_bonus": 500, "fortune_bonus": 500, "progressive": 100}
METER = 100_000_000


@functools.cache
def book(words: str = WORDS) -> Rulebook:
    return parse_submission(rules_text(words))


class PlayedBox(msgspec.Struct, frozen=True):
    """A box in play: the stakes in cents, and the hands as its player sets them."""

    seat: int
    stakes: dict[str, int]
    low: tuple[int, int]


class Deal(msgspec.Struct, frozen=True):
    """A shuffled deck and who plays; positions get seven cards each, clockwise from seat 1."""

    deck: tuple[int, ...]
    hands: tuple[PlayedBox, ...]
    surrendered: frozenset[int]

    def cards(self, position: int | str) -> tuple[int, ...]:
        at = POSITIONS.index(position)
        return self.deck[at * 7 : at * 7 + 7]

    def high(self, hand: PlayedBox) -> list[int]:
        cards = self.cards(hand.seat)
        return [card for index, card in enumerate(cards) if index not in hand.low]

    def low(self, hand: PlayedBox) -> list[int]:
        cards = self.cards(hand.seat)
        return [cards[index] for index in sorted(hand.low)]


@st.composite
def deals(draw: st.DrawFn) -> Deal:
    """Rounds with up to six boxes; decks are stacked now and then, so that bonus hands come up."""
    deck = list(draw(st.permutations(DECK)))
    if draw(st.booleans()):
        first = draw(st.sampled_from([card for card in DECK if card < 40]))
        wanted = draw(
            st.sampled_from([[first, first + 4, first + 8, first + 12, JOKER], [first - first % 4 + suit for suit in range(4)]])
        )
        at = draw(st.integers(0, 6)) * 7
        for offset, card in enumerate(wanted):
            index = deck.index(card)
            deck[index], deck[at + offset] = deck[at + offset], deck[index]
    seats = draw(st.sets(st.sampled_from(SEATS), min_size=1, max_size=4))
    hands, surrendered = [], set()
    for seat in sorted(seats):
        stakes = {"base": draw(st.integers(1, 200)) * 25}
        optional = draw(st.sets(st.sampled_from(sorted(OPTIONAL))))
        stakes |= {wager: OPTIONAL[wager] for wager in sorted(optional)}
        if len(stakes) == 1 and draw(st.integers(0, 5)) == 0:
            surrendered.add(seat)
        low = draw(st.sets(st.integers(0, 6), min_size=2, max_size=2))
        hands.append(PlayedBox(seat, stakes, (min(low), max(low))))
    return Deal(tuple(deck), tuple(hands), frozenset(surrendered))


Show = Callable[[int], "str | None"]


def show(card: int) -> str | None:
    return TEXT[card]


def table_of(deal: Deal, shown: Show = show, dealt: Show | None = None, close: bool = True) -> Table:
    """A table that reports the deal, with cards as `shown` when set and (unless given apart) when dealt."""
    dealt = dealt or shown
    table = Table(words=WORDS)
    table.say(model.RoundOpened(deck="d-1", observed=["settlement"]), 1)
    meter = METER
    for hand in deal.hands:
        for wager, cents in hand.stakes.items():
            table.say(placed(hand.seat, wager, cents), 1)
            if wager == "progressive":
                meter += 2800
                table.say(accepted(hand.seat, meter), 1)
    for position in POSITIONS:
        cards = [dealt(card) for card in deal.cards(position)]
        table.say(model.CardsDealt(to=position, cards=cards, face_up=position == "dealer"), 1)
    for hand in deal.hands:
        if hand.seat in deal.surrendered:
            table.say(model.Surrendered(seat=hand.seat), 1)
            continue
        high, low = [shown(card) for card in deal.high(hand)], [shown(card) for card in deal.low(hand)]
        table.say(model.HandSet(position=hand.seat, high=high, medium=[], low=low, by="player"), 1)
    if close:
        table.say(model.RoundClosed(by="d-7"), 1)
    return table


def placed(seat: int, wager: str, cents: int) -> model.WagerPlaced:
    return model.WagerPlaced(seat=seat, bettor=f"p-{seat}", wager=wager, number=None, amount_cents=cents, form="chips")


def accepted(seat: int, meter: int) -> model.ProgressiveAccepted:
    return model.ProgressiveAccepted(seat=seat, meter="m-1", amount_cents=100, reading_centicents=meter, meter_seq=seat + 1)


def judged(table: Table, rules: Rulebook | None = None) -> Conclusion:
    fold = TableFold(table.stream)
    (round_,) = table.fold(fold)
    return adjudicate(round_, rules if rules is not None else book())


def due(conclusion: Conclusion) -> dict[tuple[int, str], int | None]:
    return {(each.seat, each.wager): each.due_cents for each in conclusion.settlements}


def settle(table: Table, settlements: tuple[Settlement, ...]) -> None:
    """Settle every wager as it is due, from seat 6 to seat 1, the base wager first; Envy Bonuses at the end."""
    order = sorted(settlements, key=lambda each: (each.wager.endswith("_envy"), -each.seat, each.wager != "base"))
    for each in order:
        cents = each.due_cents
        if cents is None:
            continue
        named = {"seat": each.seat, "bettor": each.bettor, "wager": each.wager, "number": None}
        match each.wager:
            case "fortune_envy" | "progressive_envy":
                for part in each.line.split():
                    seat = int(part.rpartition("@")[2])
                    share = ENVY[part.rpartition("@")[0]]
                    table.say(model.EnvyPaid(seat=each.seat, wager="fortune_bonus", for_position=seat, amount_cents=share), 1)
            case "progressive" if cents > -each.staked_cents:
                table.say(model.WagerPaid(**named, stake_cents=0, winnings_cents=cents + each.staked_cents, source="slip"), 1)
            case "progressive":
                continue
            case _ if cents > 0:
                table.say(model.WagerPaid(**named, stake_cents=each.staked_cents, winnings_cents=cents, source="inventory"), 1)
            case _ if cents < 0:
                table.say(model.WagerTaken(**named, amount_cents=-cents, reason="lost"), 1)
            case _:
                table.say(model.WagerReturned(**named, amount_cents=each.staked_cents, reason="push"), 1)


# Fortune Bonus paytable 2, the Envy column, in cents: § 688a.12(c).
ENVY = {
    "seven_card_straight_flush": 500_000,
    "royal_match": 100_000,
    "seven_card_straight_flush_joker": 50_000,
    "five_aces": 25_000,
    "royal_flush": 5_000,
    "straight_flush": 2_000,
    "four_of_a_kind": 500,
}


@pytest.mark.slow
@given(deals())
def test_what_is_due_is_upheld_and_money_is_conserved(deal: Deal) -> None:
    """Settled as due, nothing is found; what the patrons have won or lost is what the house has lost or won.

    The house's side is counted from the events alone: what it took, what it paid from the tray and by slip, and the
    progressive chips that it collected before the deal.
    """
    table = table_of(deal, close=False)
    told = judged(table_of(deal)).settlements
    assume(all(each.due_cents is not None for each in told))  # the house way may allow several settings (D26)
    settle(table, told)
    table.say(model.RoundClosed(by="d-7"), 1)
    conclusion = judged(table)
    money_codes = [found.line() for found in conclusion.findings if found.code.startswith("PAY")]
    assert money_codes == []
    house = sum(hand.stakes.get("progressive", 0) for hand in deal.hands)
    for draft in table.drafts:
        match draft.payload:
            case model.WagerTaken(amount_cents=cents):
                house += cents
            case model.WagerPaid(winnings_cents=cents) | model.EnvyPaid(amount_cents=cents):
                house -= cents
    assert all(each.due_cents == each.done_cents for each in conclusion.settlements)
    assert sum(each.due_cents or 0 for each in conclusion.settlements) == -house


@pytest.mark.slow
@given(deals(), st.integers(1, 500))
def test_one_cent_more_or_less_is_found_with_its_amount(deal: Deal, cents: int) -> None:
    table = table_of(deal, close=False)
    settle(table, judged(table_of(deal)).settlements)
    paid = [seq for seq, draft in enumerate(table.drafts) if isinstance(draft.payload, model.WagerPaid)]
    table.say(model.RoundClosed(by="d-7"), 1)
    if not paid:
        return
    draft = table.drafts[paid[0]]
    right = draft.payload
    assert isinstance(right, model.WagerPaid)
    more = msgspec.structs.replace(right, winnings_cents=right.winnings_cents + cents)
    table.drafts[paid[0]] = msgspec.structs.replace(draft, payload=more)
    found = [each for each in judged(table).findings if each.difference_cents]
    assert [(each.seat, each.wager, each.difference_cents) for each in found] == [(right.seat, right.wager, cents)]


@pytest.mark.slow
@given(deals(), st.permutations(range(4)))
def test_suits_are_alike(deal: Deal, suits: list[int]) -> None:
    def recoloured(card: int) -> str | None:
        return TEXT[card if card == JOKER else card - card % 4 + suits[card % 4]]

    one, other = judged(table_of(deal)), judged(table_of(deal, recoloured))
    assert (one.verdict, one.settlements) == (other.verdict, other.settlements)
    assert [each.line() for each in one.findings] == [each.line() for each in other.findings]


@pytest.mark.slow
@given(deals(), st.data())
def test_a_card_that_was_not_read_never_makes_another_definite_result(deal: Deal, data: st.DataObject) -> None:
    """D26: what depends on it is unknown; what holds is what held with the card read."""
    positions = [hand.seat for hand in deal.hands] + ["dealer"]
    hidden = data.draw(st.sampled_from([card for position in positions for card in deal.cards(position)]))

    def unread(card: int) -> str | None:
        return None if card == hidden else TEXT[card]

    truth, told = due(judged(table_of(deal))), due(judged(table_of(deal, unread)))
    for key, cents in told.items():
        assert cents is None or cents == truth.get(key, 0), (TEXT[hidden], key)
    assert {key for key in truth if not key[1].endswith("_envy")} <= set(told)


@pytest.mark.slow
@given(deals(), st.data())
def test_a_card_read_when_the_hands_were_set_is_known(deal: Deal, data: st.DataObject) -> None:
    hand = data.draw(st.sampled_from([hand for hand in deal.hands if hand.seat not in deal.surrendered] or [None]))
    if hand is None:
        return
    hidden = data.draw(st.sampled_from(deal.cards(hand.seat)))

    def unread(card: int) -> str | None:
        return None if card == hidden else TEXT[card]

    assert due(judged(table_of(deal, show, unread))) == due(judged(table_of(deal)))


@pytest.mark.slow
@given(deals(), st.sets(st.integers(0, 48), max_size=12))
def test_however_many_cards_were_not_read_nothing_is_guessed(deal: Deal, hidden: set[int]) -> None:
    lost = {deal.deck[index] for index in hidden}

    def unread(card: int) -> str | None:
        return None if card in lost else TEXT[card]

    truth, told = due(judged(table_of(deal))), due(judged(table_of(deal, unread)))
    assert all(cents is None or cents == truth.get(key, 0) for key, cents in told.items())


@pytest.mark.slow
@given(st.lists(deals(), min_size=1, max_size=2), st.integers(0, 100))
@settings(max_examples=25)
def test_a_replay_of_a_replay_is_the_same(rounds: list[Deal], cut: int) -> None:
    """Resumed anywhere, repeated, or begun again over the same results: the same bytes."""
    tables = []
    for index, deal in enumerate(rounds):
        table = table_of(deal)
        table.stream = f"table/fu-{index:02d}"
        tables.append(table)
    log, once, often = MemoryLog(tables), MemoryResults(), MemoryResults()
    replay(log, once)
    replay(log, often, as_of={table.stream: cut for table in tables})
    replay(log, often)
    replay(log, often)
    often.reset()
    replay(log, often)
    for kind in CHAINED:
        assert sorted(often.results(kind)) == sorted(once.results(kind))  # of each stream in order, see test_replayer


@pytest.mark.slow
@given(deals())
def test_other_rules_are_another_question_not_another_record(deal: Deal) -> None:
    """A what-if changes what is due, never what was staked, or the cards."""
    one, other = judged(table_of(deal)), judged(table_of(deal), book(SECOND_WORDS))
    staked = [(each.seat, each.wager, each.staked_cents) for each in one.settlements if "envy" not in each.wager]
    assert staked == [(each.seat, each.wager, each.staked_cents) for each in other.settlements if "envy" not in each.wager]
    base = {key: cents for key, cents in due(one).items() if key[1] == "base"}
    assert base == {key: cents for key, cents in due(other).items() if key[1] == "base"}


def test_the_deck_of_these_rounds_is_the_deck() -> None:
    assert sorted(CODE.values()) == sorted(DECK)
