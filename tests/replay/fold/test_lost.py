"""What is judged of a round of which a device's message was lost, or contradicts another (D26, D402, D404)."""

from __future__ import annotations

import msgspec

from events.vocabulary import model
from replay.fold.table_fold import TableFold
from replay.run.adjudicate import adjudicate
from tests.replay.tables import PAID, Table, lines, said


def test_a_stack_whose_event_was_lost_was_not_dealt_out_of_order() -> None:
    """Seven stacks clockwise, of which one never arrived: nothing is found, and that something may be wrong is told."""
    table = Table()
    stacks = "seat5=Ad Tc 9s 7h 6h 5c 3s  seat6=Qc Jd Ts 8d 7d 5s 2h  dealer=Kh Kd Jc 9h 8c 5d 3c  seat1=Ks Qh Td 9c 6s 4h 2d"
    table.play(1, f"wager seat=5 base 25.00\ndeal_order {stacks}\n")
    del table.drafts[next(at for at, draft in enumerate(table.drafts) if getattr(draft.payload, "to", "") == 6)]
    fold = TableFold(table.stream)
    list(table.fold(fold))
    assert fold.open is not None
    conclusion = adjudicate(fold.open, table.book)
    assert (conclusion.verdict, lines(conclusion)) == ("UNDETERMINED", ["LOG-SOURCE-GAP"])
    assert "DEAL-ORDER: evidence was lost that may say otherwise" in conclusion.undetermined


def test_what_a_device_said_twice_and_otherwise_proves_nothing() -> None:
    """Seat 3's payment came a second time under its number, as another amount: which of the two was paid is not known."""
    table = Table()
    paid = table.payload(table.play(1, PAID.split("take ")[0])["wager_paid"])
    table.say(msgspec.structs.replace(paid, winnings_cents=25000), 1, source_seq=table.next() - 1)
    table.say(model.WagerTaken(seat=1, bettor="seat-1", wager="base", number=None, amount_cents=1000, reason="lost"), 1)
    table.say(model.RoundClosed(by="d-7"), 1)
    ((_, conclusion),) = table.verdicts()
    assert (conclusion.verdict, lines(conclusion)) == ("UNDETERMINED", ["LOG-SOURCE-REPEAT"])


def test_a_wager_whose_event_was_lost_is_not_owed_nothing() -> None:
    """Seat 3 is paid, and that it wagered never arrived: what is due there is not known."""
    table = Table()
    table.play(1, PAID)
    placed = (model.WagerPlaced, 3)
    del table.drafts[
        next(
            at
            for at, draft in enumerate(table.drafts)
            if (type(draft.payload), getattr(draft.payload, "seat", 0)) == placed
        )
    ]
    ((_, conclusion),) = table.verdicts()
    assert conclusion.verdict == "UNDETERMINED"
    assert [(each.seat, each.due_cents) for each in conclusion.settlements] == [(1, None), (3, None)]


def test_a_meter_is_not_compared_across_a_round_of_which_evidence_was_lost() -> None:
    """Each wager adds 0.28; the second of round 2 never arrived, and round 3 follows from it."""
    table = Table(words="pa-688a progressive=1")
    for number, readings in enumerate((("20000.28",), ("20000.56", "20000.84"), ("20001.12",)), 1):
        accepted = "\n".join(
            f"accepted seat={seat} 1.00 meter={reading}" for seat, reading in zip((3, 1), readings, strict=False)
        )
        optional = "progressive 1.00" if len(readings) > 1 else ""
        table.play(
            number,
            PAID.replace("base 25.00\n", "base 25.00 progressive 1.00\n", 1).replace(
                "base 10.00\n",
                f"base 10.00 {optional}\n{accepted}\nlock accepted={len(readings)} collected={len(readings)}\n",
                1,
            ),
        )
    said_by_meter = [
        at for at, draft in enumerate(table.drafts) if isinstance(draft.payload, model.ProgressiveAccepted)
    ]
    del table.drafts[said_by_meter[2]]
    assert said(table) == [(1, "UPHELD", []), (2, "UNDETERMINED", ["LOG-SOURCE-GAP"]), (3, "UPHELD", [])]
