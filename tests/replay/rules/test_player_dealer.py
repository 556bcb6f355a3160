"""The player-dealer position on record: what holds in California, what clocks and corrections change, seven seats in a log."""

from events.vocabulary import model
from events.vocabulary.model import fact
from replay.run.adjudicate import Conclusion, rules_of
from replay.run.replayer import MemoryResults, replay
from replay.settlement.voids import can_be_void
from replay.transcript.transcript import judge
from rulebook.chapters.rulebook import chapter, parse_submission
from tests.replay.stored import one_run, stored, verdicts
from tests.replay.tables import MemoryLog, Table, rules_text, said

CALIFORNIA = "ca-gegr-002138"
DEALT = "deal   dealer=Kh Kd Jc 9h 8c 5d 3c  seat7=As Ac 6d 4s 2h Qs 7c\n"
SET = "set dealer high=Kh Kd 8c 5d 3c low=Jc 9h\nset seat=7 high=As Ac 6d 4s 2h low=Qs 7c\n"
ROUND = "player_dealer seat=4 100.00\nwager seat=7 base 25.00\n" + DEALT + SET
PAID = ROUND + "pay seat=7 base 25.00\nclose\n"


def judged(text: str, words: str = CALIFORNIA) -> Conclusion:
    (only,) = judge(f"rules {words}\nround 1\n{text}", "california.txt")
    return only.conclusion


def test_no_rule_holds_of_what_the_text_does_not_have() -> None:
    """No void, no election, no surrender, no progressive, no house way that binds, no order of reveal (D11, D28)."""
    held = {each.evaluate.__name__ for each in rules_of(chapter("ca", "gegr-002138"))}
    shared = {"money", "envy_bonuses", "vigorish", "one_deck", "shuffled", "cut", "clockwise", "lammers", "cards_dealt",
              "limits", "form", "base_wager", "doubtful_wagers"}  # fmt: skip
    own = {
        "rotation",
        "action_button",
        "first_hand",
        "seven_each",
        "piles",
        "player_dealer_first",
        "backline",
        "collection_fees",
        "settled_in_turn",
    }
    assert shared | own <= held
    absent = {"exposed_card_election", "surrender", "house_way", "dealer_first", "reveal_order", "seated",
              "settlement_order", "discard_rack", "no_more_bets", "announced_total", "shaking", "meter_readings",
              "opening", "deck_in_time", "unchanged", "players_first", "envy_call", "progressive_count"}  # fmt: skip
    assert held & absent == set()
    assert not can_be_void(parse_submission(rules_text("ca-gegr-002138")))


def test_findings_cite_the_headings_of_the_text() -> None:
    (only,) = judged(PAID.replace("pay seat=7 base 25.00", "pay seat=7 base 30.00")).findings
    assert (only.line(), only.cite) == ("PAY-OVER seat=7 wager=base +5.00", "GEGR-002138, Round of play")
    (only,) = judged(PAID.replace("100.00", "20.00")).findings
    assert (only.code, only.cite) == ("CA-COVER", "GEGR-002138, Collection procedures")
    assert only.expected == "20.00 paid (win); of 25.00 won, 5.00 is beyond the player-dealer's wager"


# ----------------------------------------------------------------------------------------- the position from round to round

PATRONS = "seated seat=4 p-4\nseated seat=5 p-5\n"
STAYS = "covers rotation\nplayer_dealer seat=4 bettor=p-4 100.00\n" + DEALT.replace("seat7", "seat6")


def rounds(*texts: str) -> Table:
    table = Table("table/ca-1", words=CALIFORNIA)
    for number, text in enumerate(texts, 1):
        table.play(number, text + "close\n")
    return table


def test_a_third_round_is_found_in_a_log_too() -> None:
    first = PATRONS + "offer_position seat=4 accepted\n" + STAYS
    assert said(rounds(first, STAYS, STAYS)) == [(1, "UPHELD", []), (2, "UPHELD", []), (3, "VARIANCE", ["CA-ROTATE"])]


def test_an_offer_between_rounds_is_for_the_next() -> None:
    table = rounds(PATRONS + STAYS, STAYS)
    table.say(model.PlayerDealerOffered(seat=5, accepted=False))
    table.play(3, STAYS + "close\n")
    assert [verdict for _, verdict, _ in said(table)] == ["UPHELD"] * 3


def test_a_corrected_offer_judges_the_rounds_again() -> None:
    """The offer before round 3 was declined, not accepted, says the video."""
    table = rounds(PATRONS + STAYS, STAYS)
    offer = table.say(model.PlayerDealerOffered(seat=5, accepted=True))
    table.play(3, STAYS + "close\n")
    table.correct(offer, model.PlayerDealerOffered(seat=5, accepted=False))
    assert verdicts(one_run(table)) == [(1, 1, "UPHELD"), (2, 1, "UPHELD"), (3, 1, "VARIANCE"), (3, 2, "UPHELD")]


def test_a_round_without_a_player_dealer_on_record_begins_the_count_anew() -> None:
    none = STAYS.replace("player_dealer seat=4 bettor=p-4 100.00\n", "")
    assert [verdict for _, verdict, _ in said(rounds(PATRONS + STAYS, STAYS, none, STAYS, STAYS))] == ["UPHELD"] * 5


def test_seven_seats_are_stored_read_and_taken_up_again() -> None:
    table = rounds(PATRONS + STAYS, PAID, PAID)
    assert {draft.payload.VERSION for draft in table.drafts if isinstance(draft.payload, model.WagerPaid)} == {2}
    assert fact(model.WagerAbandoned, seat=7, bettor="p-7").VERSION == 2
    whole, log = stored(one_run(table)), MemoryLog([table])
    assert verdicts(one_run(table)) == [(1, 1, "UPHELD"), (2, 1, "UPHELD"), (3, 1, "UPHELD")]
    for cut in range(1, table.last, 5):
        results = MemoryResults()
        replay(log, results, as_of={table.stream: cut})
        replay(log, results)
        assert stored(results) == whole


def test_the_seventh_seat_cuts() -> None:
    (only,) = judge(f"rules {CALIFORNIA}\nround 1\nshuffle manual\ncut seat=7 20\n{PAID}", "california.txt")
    assert (only.conclusion.verdict, fact(model.CardsCut, by=7, depth=20, counted_from="top").VERSION) == ("UPHELD", 2)


def test_an_envy_bonus_is_the_seats_and_not_of_who_bets_behind() -> None:
    """Backline betting is on the base wager alone; the Envy Bonus goes to the patron of the Fortune Bonus Bet."""
    envy = (
        "player_dealer seat=4 500.00\nwager seat=5 bettor=p-5 base 25.00 fortune_bonus 5.00\n"
        "wager seat=5 backline 10.00 bettor=p-9\nwager seat=6 bettor=p-6 base 25.00 fortune_bonus 5.00\n"
        "deal dealer=Ah Kd Jc 9h 8c 5d 3c seat5=Js 2h 8d 3s 4d 9s 6c seat6=7h 7d 7s 7c 2c Qh 4s\n"
        "envy seat=5 for=6 fortune_bonus 5.00\n"
    )
    found = judged(envy, "ca-gegr-002138 fortune_bonus=yes backline=yes").settlements
    assert [(each.bettor, each.due_cents) for each in found if each.wager == "fortune_envy"] == [("p-5", 500)]


def test_an_offer_after_the_cards_is_of_the_next_round_where_the_wager_of_this_one_came_late() -> None:
    """Of round 2 the player-dealer's wager arrives after the cards and after the offer to seat 5, who deals round 3."""
    dealt = "player_dealer seat=4 bettor=p-4 100.00\ndeal dealer=Ah Kd Jc 9s 8h 4d 3c\n"
    table = Table(words=CALIFORNIA)
    table.play(1, "seated seat=4 p-4\nseated seat=5 p-5\noffer_position seat=4 accepted\n" + dealt)
    table.play(2, dealt + "offer_position seat=5 accepted\n")
    wagered = [at for at, each in enumerate(table.drafts) if isinstance(each.payload, model.PlayerDealerWagered)]
    table.drafts.append(table.drafts.pop(wagered[-1]))
    table.play(3, "covers rotation\n" + dealt.replace("=4", "=5").replace("p-4", "p-5") + "close\n")
    assert said(table)[-1] == (3, "UPHELD", [])
