"""California on the simulated floor: everything is planted, the position goes round, no one pays more than was covered."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from events.vocabulary import model
from floor.catalogue import SIMULATIONS
from rulebook.cards.cards import CODE
from rulebook.cards.ranking import seven_card_lines
from rulebook.chapters.chapters import chapter
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.settlement.ace_high import ace_high_line
from tests.floor.adding_up import corrected
from tests.floor.simulated import Floor

NAME = "player_dealer"
SIMULATION = SIMULATIONS[NAME]
FLOOR = Floor(NAME)
MONEY_CODES = ("CA-COVER", "PAY-", "WAGER-LATE", "CA-BACKLINE")


def rounds() -> Iterator[tuple[str, int, Rulebook, list[model.Event]]]:
    """Every round with the rules in force and its events as they count."""
    for stream, drafts in FLOOR.tables.items():
        day, filed = "", dict[str, Rulebook]()
        found: dict[int, list[model.Event]] = defaultdict(list)
        books: dict[int, Rulebook] = {}
        for draft, event in zip(drafts, corrected(drafts), strict=True):
            match event:
                case model.GamingDayOpened():
                    day = event.gaming_day
                case model.RulesFiled():
                    filed[event.effective_gaming_day] = parse_submission(event.toml)
            if draft.round_no is not None:
                found[draft.round_no].append(event)
                books.setdefault(draft.round_no, filed[max(each for each in filed if each <= day)])
        yield from ((stream, number, books[number], events) for number, events in found.items())


@pytest.mark.nightly
def test_nobody_holds_the_position_longer_than_two_rounds_unless_all_declined() -> None:
    third = 0
    for stream, drafts in FLOOR.tables.items():
        holder, held, last, offers = "", 0, None, list[model.PlayerDealerOffered]()
        for draft in drafts:
            event = draft.payload
            if isinstance(event, model.PlayerDealerOffered):
                offers.append(event)
            if not isinstance(event, model.PlayerDealerWagered) or draft.round_no == last:
                continue
            last = draft.round_no
            held = held + 1 if holder == event.bettor and not offers else 1
            if (stream, draft.round_no) not in FLOOR.labeled("CA-ROTATE"):
                assert held <= 2, (stream, draft.round_no)
                assert not offers or [each.seat for each in offers if each.accepted] in ([], [event.seat])
                third += bool(offers) and holder == event.bettor
            holder, offers = event.bettor, []
    assert third > 20


def test_what_the_player_dealer_wins_and_loses_is_covered() -> None:
    """Gross: all that is taken and paid together is no more than the wager; net: what is left of it either way."""
    short = 0
    for stream, number, book, events in rounds():
        if (stream, number) in FLOOR.labeled(*MONEY_CODES):
            continue
        wager = next(event.amount_cents for event in events if isinstance(event, model.PlayerDealerWagered))
        paid = sum(event.winnings_cents for event in events if isinstance(event, model.WagerPaid))
        paid += sum(event.amount_cents for event in events if isinstance(event, model.EnvyPaid))
        taken = sum(event.amount_cents for event in events if isinstance(event, model.WagerTaken))
        used = paid + taken if book.settings["coverage"] == "gross" else abs(paid - taken)
        assert used <= wager, (stream, number)
        back = [event for event in events if isinstance(event, model.WagerReturned) and event.reason == "uncovered"]
        short += bool(back)
        if back and book.settings["coverage"] == "gross":
            assert used == wager, (stream, number)
    assert short > 20


def test_every_stake_is_settled_once() -> None:
    for stream, number, _, events in rounds():
        if (stream, number) in FLOOR.labeled("PAY-", "CA-COVER"):
            continue
        stakes: Counter[tuple[int, str, str]] = Counter()
        for event in events:
            match event:
                case model.WagerPlaced():
                    stakes[event.seat, event.wager, event.bettor] += event.amount_cents
                case model.WagerRemoved() | model.WagerTaken() | model.WagerReturned():
                    stakes[event.seat, event.wager, event.bettor] -= event.amount_cents
                case model.WagerPaid():
                    stakes[event.seat, event.wager, event.bettor] -= event.stake_cents
        assert not +stakes, (stream, number)
        assert not -stakes, (stream, number)


def test_the_house_neither_wins_nor_loses() -> None:
    """Closer = opener + fills - credits - chips sold, and where planted a commission or a payment; fees go into a box apart."""
    days = 0
    for stream, drafts in FLOOR.tables.items():
        balance: int | None = None
        for draft, event in zip(drafts, corrected(drafts), strict=True):
            match event:
                case model.InventoryCounted(kind="opener"):
                    assert balance in (None, event.amount_cents)
                    balance = event.amount_cents
                case model.InventoryCounted():
                    assert event.amount_cents == balance
                    days += 1
                case model.FillReceived() | model.VigorishTaken() if balance is not None:
                    balance += event.amount_cents
                case model.CreditSent() | model.BuyIn() if balance is not None:
                    balance -= event.amount_cents
                case model.WagerPaid() if event.source != "player_dealer":
                    assert (stream, draft.round_no) in FLOOR.labeled("PAY-SOURCE")
                    balance = (balance or 0) - (event.winnings_cents if event.source == "inventory" else 0)
    assert days == 8


def test_all_seven_seats_play_bet_behind_and_cut() -> None:
    seen: Counter[tuple[str, int]] = Counter()
    for _, _, _, events in rounds():
        for event in events:
            match event:
                case model.WagerPlaced() | model.PlayerDealerWagered():
                    seen[getattr(event, "wager", "dealer"), event.seat] += 1
                case model.CardsCut():
                    seen["cut", 0 if event.by == "dealer" else event.by] += 1
    for kind in ("base", "dealer", "backline", "fortune_bonus", "ace_high_bonus", "cut"):
        assert {seat for what, seat in seen if what == kind and seat} == set(range(1, 8)), kind


def test_every_line_of_the_paytables_is_won() -> None:
    won: set[tuple[str, str]] = set()
    for _, _, book, events in rounds():
        bank = next(event.seat for event in events if isinstance(event, model.PlayerDealerWagered))
        hands: dict[object, list[int]] = defaultdict(list)
        for event in events:
            if isinstance(event, model.CardsDealt):
                hands[event.to] += [CODE[card] for card in event.cards if card is not None]
        for event in events:
            if not isinstance(event, model.WagerPlaced) or len(hands[event.seat]) != 7 or len(hands[bank]) != 7:
                continue
            if event.wager == "ace_high_bonus":
                won.add((event.wager, ace_high_line(hands[bank], hands[event.seat]) or ""))
            elif event.wager == "fortune_bonus":
                paytable = book.offers[event.wager].paytable
                assert paytable is not None
                best = paytable.best(seven_card_lines(hands[event.seat], paytable.joker))
                won.add((event.wager, best.hand if best else ""))
    printed = {
        (paytable.wager, line.hand) for paytable in chapter("ca", "gegr-002138").paytables.values() for line in paytable.lines
    }
    assert len(printed) == 14
    assert len(printed - won) <= 2


def test_all_that_can_be_filed_is_filed() -> None:
    books = [
        book
        for spec in SIMULATION.specs(4)
        for filing in (spec.first, spec.later)
        if filing
        for book in (parse_submission(spec.submission(filing, "2026-04-06")),)
    ]
    assert {book.settings["coverage"] for book in books} == {"gross", "net"}
    assert {book.settings["envy_holder_must_wager"] for book in books} == {True, False}
    assert {"backline" in book.offers for book in books} == {True, False}
    assert {(book.deal_method, book.starting) for book in books} >= {("hand", "shaker"), ("hand", "number")}
    assert {(book.deal_method, book.starting) for book in books} >= {("automated_shoe", "shaker"), ("automated_shoe", "number")}
    assert len({book.settings["collection"] for book in books}) == 4


def test_more_tables_and_no_fewer() -> None:
    assert [spec.id for spec in SIMULATION.specs(6)] == ["ca-01", "ca-02", "ca-03", "ca-04", "ca-05", "ca-06"]
    with pytest.raises(ValueError, match="at least 4"):
        SIMULATION.specs(3)
