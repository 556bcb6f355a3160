"""What is done between two rounds, as devices report it: of which round it is, and what its evidence is (D380, D680)."""

from events.vocabulary import model
from replay.transcript.read import DECK
from replay.transcript.transcript import judge
from tests.replay.tables import SECOND_US, START_US, Table, lines, said

BOTH_ACE_HIGH = """
wager  seat=3 base 25.00
deal   dealer=Ah Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
return seat=3 base 25.00 push
"""
JAM = model.DeviceFailed(device="shuffler", fault="jam")
BY_HAND = model.CardsShuffled(deck=DECK, method="manual", count=None)
CUT = model.CardsCut(by="dealer", depth=22, counted_from="top")


def manual_shoe() -> Table:
    return Table(words="pa-688a deal_method=manual_shoe")


def test_a_shuffle_by_hand_that_names_the_round_before_it_is_the_fault_of_the_round_that_it_makes_ready() -> None:
    """The jam and the shuffle by hand both name round 1, which is closed: one finding, in round 2, with both as evidence."""
    table = manual_shoe()
    table.play(1, BOTH_ACE_HIGH + "close")
    jam, shuffled, _ = (table.say(each, 1) for each in (JAM, BY_HAND, CUT))
    table.play(2, BOTH_ACE_HIGH + "close")
    judged = table.verdicts()
    assert {number: lines(conclusion) for number, conclusion in judged} == {1: [], 2: ["DEAL-DEVICE"]}
    assert [each.evidence for _, conclusion in judged for each in conclusion.findings] == [(jam, shuffled)]


def test_where_a_message_of_the_device_was_lost_the_cover_may_be_what_was_lost() -> None:
    """A message is missing before the shuffle by hand, or after it, in round 1: round 2 is not accused, and in doubt (D951)."""
    for lost_at in (1, 2):
        table = manual_shoe()
        table.play(1, BOTH_ACE_HIGH)
        for at, each in enumerate((JAM, BY_HAND, CUT)):
            table.say(each, 1, source_seq=table.next() + (at == lost_at))
        table.say(model.RoundClosed(by="d-7"), 1)
        table.play(2, BOTH_ACE_HIGH + "close")
        assert said(table) == [(1, "UNDETERMINED", ["LOG-SOURCE-GAP"]), (2, "UNDETERMINED", [])]
        assert table.verdicts()[-1][1].undetermined == (
            "DEAL-DEVICE: a message before this round that was lost, or came late, may say otherwise",
        )


def test_a_shoe_that_failed_before_the_round_was_closed_by_the_clocks_alone_leaves_the_void_open() -> None:
    """The failure arrives after the close; by its clock it came before, or after it."""
    for ahead_us, verdict in ((-2 * SECOND_US, "UNDETERMINED"), (SECOND_US, "UPHELD")):
        table = Table(words="pa-688a deal_method=automated_shoe")
        closed = table.play(1, BOTH_ACE_HIGH + "close")["round_closed"]
        at_us = START_US + closed * SECOND_US + ahead_us
        table.say(model.DeviceFailed(device="shoe", fault="jam"), 1, source="shoe", at_us=at_us)
        number, conclusion = table.verdicts()[-1]
        assert (number, conclusion.verdict, lines(conclusion)) == (1, verdict, [])


def test_the_evidence_of_a_finding_has_its_line_where_it_stands_before_the_round() -> None:
    text = "rules pa-688a deal_method=manual_shoe\nround 1\n" + BOTH_ACE_HIGH.strip()
    text += "\ndevice shuffler jam\nclose\nshuffle manual\ncut dealer 22\nround 2\n" + BOTH_ACE_HIGH.strip()
    first, second = judge(text, "dispute.txt")
    assert not first.conclusion.findings
    (found,) = second.conclusion.findings
    assert [second.lines[seq] for seq in found.evidence] == [6, 8]
