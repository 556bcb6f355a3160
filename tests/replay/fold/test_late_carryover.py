"""What a round leaves to later ones (shoe, deck, stub) is what was done in it, however late its messages come (D1123)."""

import pytest

from events.vocabulary import model
from replay.run.replayer import MemoryResults, replay
from replay.transcript.transcript import parse
from tests.replay.fold.test_corrections import said
from tests.replay.rules.test_over_under import ROUND, over_under, shuffled
from tests.replay.stored import one_run, stored
from tests.replay.tables import MemoryLog, Table

FOUR_KINGS = (
    "covers shuffle\nwager seat=1 ante 10.00\nwager seat=2 ante 10.00\ndeal seat1=Kh seat2=Kh\n"
    "wager seat=1 over 10.00\nwager seat=2 over 10.00\ndeal seat1=Kh Kh\nclose\n"
)
LATER = {"before the next round": 1, "a round later": 2, "several rounds later": 3, "of a round not at hand": 6}
SEVENTH = "DEAL-DECK"


def dealt(number: int, first: str = "Tc") -> str:
    """A round with this first card; one of two shares its other cards."""
    text = ROUND.replace("Tc", first)
    return text.replace("9d 8h", "9s 8c") if number % 2 else text


def seen(table: Table) -> dict[int, tuple[str, ...]]:
    """The findings of every round but the first, the same if the log is read at once or taken up later."""
    whole, log = one_run(table), MemoryLog([table])
    for cut in range(1, table.last, 7):
        results = MemoryResults()
        replay(log, results, as_of={table.stream: cut})
        replay(log, results)
        assert stored(results) == stored(whole), f"cut after event {cut}"
    return {number: found for number, _, found in said(whole) if number > 1}


def kings(event: model.Event, last: int) -> tuple[Table, int]:
    """A card of round 1 comes after round `last`; a king is dealt in the round after it, and in round 2."""
    table = over_under()
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, FOUR_KINGS)
    for number in range(2, last + 1):
        table.play(number, dealt(number, "Kh" if number == 2 else "Tc"))
    late = table.say(event, 1)
    table.play(last + 1, dealt(last + 1, "Kh"))
    return table, late


def to_seat_2(*cards: str) -> model.CardsDealt:
    return model.CardsDealt(to=2, cards=list(cards), face_up=True)


@pytest.mark.parametrize("last", LATER.values(), ids=LATER)
@pytest.mark.parametrize("is_seventh", [False, True], ids=["sixth", "seventh"])
def test_686a_3_a_a_card_that_comes_late_has_left_the_shoe_in_its_round(last: int, is_seventh: bool) -> None:
    others = 1 if last == 1 else 2  # kings of later rounds
    out = 7 - 4 - others if is_seventh else 6 - 4 - others
    table, _ = kings(to_seat_2(*["Kh"] * out, *["Qh"] * (2 - out)), last)
    expected = dict.fromkeys(range(2, last + 2), ())
    if is_seventh:
        expected[last + 1] = (SEVENTH,)
    assert seen(table) == expected


@pytest.mark.parametrize("last", LATER.values(), ids=LATER)
def test_686a_3_a_a_round_that_was_judged_before_the_card_came_is_judged_again(last: int) -> None:
    table = over_under()
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, FOUR_KINGS)
    for number in range(2, last + 1):
        table.play(number, dealt(number, "Kh" if number == 2 else "Tc"))
    table.say(to_seat_2("Kh", "Kh"), 1)
    assert seen(table) == {number: (SEVENTH,) if number == 2 else () for number in range(2, last + 1)}


@pytest.mark.parametrize("last", LATER.values(), ids=LATER)
@pytest.mark.parametrize("right", [None, to_seat_2("Qh", "Qh")], ids=["taken back", "another card"])
def test_a_late_card_that_is_corrected_accuses_no_one(last: int, right: model.Event | None) -> None:
    table, late = kings(to_seat_2("Kh", "Kh"), last)
    table.correct(late, right, 1 if right is not None else None)
    assert seen(table) == dict.fromkeys(range(2, last + 2), ())


@pytest.mark.parametrize("last", LATER.values(), ids=LATER)
def test_a_late_card_counts_as_it_was_corrected(last: int) -> None:
    table, late = kings(to_seat_2("Qh", "Qh"), last)
    table.correct(late, to_seat_2("Kh", "Kh"), 1)
    assert seen(table) == dict.fromkeys(range(2, last + 2), ()) | {2: (SEVENTH,), last + 1: (SEVENTH,)}


def test_a_card_that_a_correction_moves_to_another_closed_round_left_the_shoe_there() -> None:
    table, late = kings(to_seat_2("Kh", "Kh"), 3)
    assert seen(table) == {2: (SEVENTH,), 3: (), 4: (SEVENTH,)}
    table.correct(late, to_seat_2("Kh", "Kh"), 3)
    found = seen(table)
    assert (found[2], SEVENTH in found[3], found[4]) == ((), True, (SEVENTH,))


def test_late_cards_of_one_round_count_together() -> None:
    table = over_under()
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, FOUR_KINGS)
    table.play(2, dealt(2, "Kh"))
    first = table.say(to_seat_2("Kh"), 1)
    table.play(3, dealt(3))
    table.say(to_seat_2("Kh"), 1)
    assert seen(table) == {2: (SEVENTH,), 3: ()}
    table.correct(first, None)
    table.play(4, dealt(4, "Kh"))
    assert seen(table) == {2: (), 3: (), 4: (SEVENTH,)}


def test_a_shuffle_since_the_round_of_a_late_card_leaves_it_behind() -> None:
    table = over_under()
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(1, FOUR_KINGS)
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe"))
    table.play(2, dealt(2, "Kh"))
    table.say(to_seat_2("Kh", "Kh"), 1)
    table.play(3, dealt(3, "Kh"))
    assert seen(table) == {2: (), 3: ()}


STUB = (
    "wager seat=3 base 25.00\ndeal_order seat5=Ks Qc Td 8d 7h 5d 3h seat6=Ac Jd Ts 9c 8s 5h 3d dealer=Ah Kd Jc 9s 8h 4d 3c "
    "seat1=2s 2h 5c 7d Tc Qs Kh seat2=Ad 6s 6c 9d Jh 4h 3s seat3=As Qd Th 9h 7c 5s 2d seat4=Kc Qh Js 8c 6d 4s 2c\n"
    "stub 5\nreturn seat=3 base 25.00 void\nclose\n"
)
"""Every hand is right, and five cards are left where four should be: the deck leaves the table (§ 688a.8(f))."""

RIGHT = STUB.replace("stub 5", "stub 4").replace("void", "push")
SHOE = "pa-686a bonus=yes"
ONE_DECK = "pa-688a deal_method=manual_shoe"
FOUND = FOUR_KINGS.replace("deal seat1=Kh Kh\n", "deal seat1=Kh Kh\nfound_face_up Kh\ndeal seat2=Kh Qh\n")
LEFT = [
    ("a wrong stub, counted", ONE_DECK, STUB, model.StubCounted, {2: ("DEAL-STUB",)}),
    ("a wrong stub, declared void", ONE_DECK, STUB, model.WagerReturned, {2: ("DEAL-STUB",)}),
    ("a right stub", ONE_DECK, STUB.replace("stub 5", "stub 4"), model.WagerReturned, {}),
    (
        "the cover card",
        SHOE,
        dealt(1).replace("deal    seat1=9s", "cover_card reached seat=1\ndeal    seat1=9s"),
        model.CoverCardReached,
        dict.fromkeys(range(2, 8), ("DEAL-COVER",)),
    ),
    ("d163 a card found face up", SHOE, FOUND, model.CardFoundFaceUp, {}),
    ("d163 its copy", SHOE, FOUND, model.CardsDealt, {}),
]


@pytest.mark.parametrize("last", LATER.values(), ids=LATER)
@pytest.mark.parametrize(("words", "first", "late", "found"), [row[1:] for row in LEFT], ids=[row[0] for row in LEFT])
def test_what_came_late_is_taken_as_if_it_had_come_in_time(
    words: str, first: str, late: type[model.Event], found: dict[int, tuple[str, ...]], last: int
) -> None:
    table = over_under() if words == SHOE else Table(words=words)
    table.say(shuffled())
    table.say(model.CardBurned(card=None, reason="new_shoe") if words == SHOE else model.DeckInPlay(deck="d-1"))
    (script,) = parse(f"rules {words}\nround 1\n{first}", "played")
    events = [each.payload for each in script.events if not isinstance(each.payload, model.RulesFiled)]
    left_out = [each for each in events if isinstance(each, late)][-1]
    for event in events:
        if event is not left_out:
            table.say(event, 1)
    next_round = (lambda number: dealt(number, "Kh" if number == 2 else "Tc")) if words == SHOE else lambda number: RIGHT
    for number in range(2, last + 1):
        table.play(number, next_round(number))
    table.say(left_out, 1)
    table.play(last + 1, next_round(last + 1))
    codes = {number: tuple(line.split()[0] for line in lines) for number, lines in seen(table).items()}
    assert codes == {number: found.get(number, ()) for number in range(2, last + 2)}


METER = """
wager  seat=3 base 25.00 progressive 1.00
accepted seat=3 1.00 meter={reading:.2f}
lock   accepted=1 collected=1
deal   dealer=As Kc Jd 9d 8d 5h 3h  seat3={cards}
return seat=3 base 25.00 push
{paid}close
"""


@pytest.mark.parametrize("last", LATER.values(), ids=LATER)
def test_d331_688a_12_d_a_payment_of_the_progressive_that_comes_late_left_the_meter_in_its_round(last: int) -> None:
    """3h to 9h take all 20,000.00 by slip; the seed of 10,000.00 and 0.28 for each wager make what the meter reads then."""
    straight_flush, none = "3h 4h 5h 6h 7h 8h 9h", "2h 2d 5s 7d 9c Tc Qh"
    paid = "light seat=3\nvalidate seat=3 progressive floorperson\npay seat=3 progressive 20000.00 slip\n"
    paid += "document seat=3 progressive 20000.00\n"
    table = Table(words="pa-688a progressive=1")
    (script,) = parse(f"rules {table.words}\nround 1\n" + METER.format(reading=20_000, cards=straight_flush, paid=paid), "played")
    events = [each.payload for each in script.events if not isinstance(each.payload, model.RulesFiled)]
    for event in events:
        if not isinstance(event, model.WagerPaid):
            table.say(event, 1)
    readings = [10_000 + 0.28 * number for number in range(1, last + 1)]
    for number, reading in enumerate(readings[:-1], 2):
        table.play(number, METER.format(reading=reading, cards=none, paid=""))
    table.say(next(event for event in events if isinstance(event, model.WagerPaid)), 1)
    table.play(last + 1, METER.format(reading=readings[-1], cards=none, paid=""))
    assert seen(table) == dict.fromkeys(range(2, last + 2), ())
