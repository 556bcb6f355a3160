"""Over/Under on the simulated floor: everything is planted, cards come from real shoes, and the chips add up."""

from collections import Counter
from random import Random

import pytest

from events.vocabulary import model
from floor.catalogue import SIMULATIONS
from floor.table.people import People
from games.over_under.settle import bonus_lines, total
from games.over_under.simulation.plan import TOTALS, OverUnderPlan
from games.over_under.simulation.table import COPIES
from rulebook.cards.cards import CODE
from rulebook.chapters.chapters import chapter
from tests.floor.simulated import Floor

NAME = "over_under"
SIMULATION = SIMULATIONS[NAME]
FLOOR = Floor(NAME)


def test_no_card_comes_more_often_from_a_shoe_than_six_decks_hold() -> None:
    """But where a seventh copy or a joker was planted, and where the cards of a continuous shuffler come again."""
    most = 0
    wrong = FLOOR.labeled("DEAL-DECK", "DEAL-SHUFFLE")
    for stream, drafts in FLOOR.tables.items():
        out: dict[str, Counter[str]] = {}
        deck = ""
        for draft in drafts:
            match draft.payload:
                case model.RoundOpened(deck=deck):
                    if stream == "table/ou-03":
                        out[deck] = Counter()
                case model.CardsShuffled(deck=shuffled):
                    out[shuffled] = Counter()
                case model.CardsDealt(cards=cards) if (stream, draft.round_no) not in wrong:
                    seen = out.setdefault(deck, Counter())
                    seen.update(card for card in cards if card is not None)
                    assert max(seen.values(), default=0) <= COPIES, (stream, draft.round_no)
                    most = max(most, seen.total())
    assert most > 150


def test_every_hand_is_dealt_decided_and_settled_from_the_dealers_left() -> None:
    wrong = FLOOR.labeled("DEAL-ORDER", "DEAL-COUNT", "PLAY-ORDER", "PAY-ORDER", "WAGER-SURRENDER")
    passed_over = {(label.stream, label.round_no) for label in FLOOR.simulation.legitimate if "missing" in label.kind}
    passed_over |= FLOOR.labeled("PAY-VOID")
    seen = 0
    for stream, drafts in FLOOR.tables.items():
        rounds: dict[int | None, list[int]] = {}
        for draft in drafts:
            if isinstance(draft.payload, model.CardsDealt) and isinstance(draft.payload.to, int):
                rounds.setdefault(draft.round_no, []).append(draft.payload.to)
        for number, order in rounds.items():
            if (stream, number) not in wrong | passed_over:
                seats = sorted(set(order))
                assert order == [*seats, *(seat for seat in seats for _ in range(2))], (stream, number)
                seen += 1
    assert seen > FLOOR.simulation.rounds * 0.9


def test_every_line_of_the_bonus_paytable_is_won() -> None:
    paytable = chapter("pa", "686a").paytable("bonus", "1")
    won: set[str] = set()
    for drafts in FLOOR.tables.values():
        hands: dict[object, list[int]] = {}
        betting: set[int] = set()
        for draft in drafts:
            match draft.payload:
                case model.RoundOpened():
                    hands, betting = {}, set()
                case model.WagerPlaced(wager="bonus", seat=seat):
                    betting.add(seat)
                case model.CardsDealt(to=to, cards=cards):
                    hands.setdefault(to, []).extend(CODE[card] for card in cards if card is not None)
                case model.RoundClosed():
                    for seat in betting:
                        if len(hands.get(seat, [])) == 3:
                            won |= bonus_lines(paytable, hands[seat])
    assert {line.hand for line in paytable.lines} <= won


def test_a_barred_patron_wagers_again_only_after_a_reshuffle() -> None:
    let_in, excepted = 0, FLOOR.labeled("WAGER-MIDSHOE", "DEAL-COVER")  # shuffled, and the cover card not put in
    for stream, drafts in FLOOR.tables.items():
        barred: set[str] = set()
        for draft in drafts:
            match draft.payload:
                case model.PatronBarred(patron=patron):
                    barred.add(patron)
                case model.CoverCardPlaced() | model.TableOpened():
                    let_in += len(barred)
                    barred = set()
                case model.WagerPlaced(bettor=bettor) if (stream, draft.round_no) not in excepted:
                    assert bettor not in barred, (stream, draft.round_no)
    assert let_in


@pytest.mark.parametrize("wanted", TOTALS)
def test_hands_are_made_to_order_of_the_cards_of_the_shoe(wanted: int) -> None:
    (spec, *_) = SIMULATION.specs(5)
    table = SIMULATION.table(0, 5, spec, {}, _people(), Random(wanted))
    table.open_day(0)
    plan: OverUnderPlan = SIMULATION.plan(table, table.random)
    for _ in range(10):
        seat = plan.random.choice(sorted(plan.boxes))
        assert plan.make(seat, wanted)
        assert total(plan.hands[seat]) == wanted
        dealt = Counter(card for hand in plan.hands.values() for card in hand) + Counter(plan.stub)
        assert max(dealt.values()) <= COPIES
        assert dealt.total() == 311  # one is burnt


def _people() -> People:
    return People(Random(1))


def test_no_cut_is_spoiled_of_a_batch_that_came_preshuffled() -> None:
    """It is not shuffled at the table, and nothing is said then of how deep it is cut."""
    cut = SIMULATION.anomalies.faults["DEAL-CUT"]
    (spec, *_) = SIMULATION.specs(5)
    table = SIMULATION.table(0, 5, spec, {}, _people(), Random(1))
    table.open_day(0)
    assert cut.fits(table)  # the first shoe of the day is shuffled by hand
    table.change_deck(0, preshuffled=True)
    assert not cut.fits(table)
