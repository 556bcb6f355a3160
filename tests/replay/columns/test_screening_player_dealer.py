"""California in columns: what the player-dealer's wager covers, in which order, who bet behind, and how the position goes on.

Rounds of a simulated day are changed, and event replay says what is due and what is wrong; `test_screening.py` changes them in
every way. GEGR-002138; D22.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.vocabulary import model
from events.vocabulary.model import Event
from games.cards.cards import CODE
from games.player_dealer import SEATS
from games.rulebook.rulebook import Rulebook, parse_submission
from games.settlement.pai_gow import is_foul
from replay.columns.games.player_dealer import BEHIND, SCHEMA, write_row
from replay.columns.kernels.screening_result import CHECKS
from replay.columns.ordinary_course import Ineligible
from replay.columns.row_schemas import as_batch, empty_row
from replay.columns.screening import Screen, result_of
from replay.fold.player_dealer_state import Held, Offer
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.fold.table_state import TableState
from replay.run.adjudicate import adjudicate
from replay.run.stream_worker import encode, rules_in_force
from replay.settlement.settlement import dues
from tests.replay.columns.test_screening import Base, agree, folded, judged_in_columns, simulated

pytestmark = pytest.mark.kernels

MOVES = (model.WagerTaken, model.WagerPaid, model.WagerReturned, model.EnvyPaid)


def days() -> list[Base]:
    return simulated("player_dealer")[0]


def book_of(round_: Round) -> Rulebook:
    book = rules_in_force(round_)
    assert isinstance(book, Rulebook)
    return book


def written(base: Base, payloads: Sequence[Event]) -> list[RecordedEvent]:
    """The round with these events, on one clock."""
    first = base.facts[0]
    return [
        RecordedEvent(first.seq + at, first.at_us + at * 1_000_000, first.source, payload, f"{at:032x}")
        for at, payload in enumerate(payloads)
    ]


def payloads(base: Base) -> list[Any]:
    return [fact.payload for fact in base.facts]


def changed(base: Base, type_: type[Event], **fields: Any) -> list[Event]:
    """The events of a round, those of a type with other values in some fields."""
    return [msgspec.structs.replace(each, **fields) if isinstance(each, type_) else each for each in payloads(base)]


def settled_anew(base: Base, said: Sequence[Event]) -> list[Event]:
    """The events with everything taken, paid and returned as it is due, in the order of settlement."""
    round_ = folded(base, written(base, [each for each in said if not isinstance(each, MOVES)]))
    moves: list[Event] = []
    for due in dues(round_, book_of(round_)):
        net = due.net_cents
        assert net is not None
        who: dict[str, Any] = {"seat": due.seat, "bettor": due.bettor, "wager": due.wager, "number": None}
        if due.for_position is not None:
            if net:
                moves.append(
                    model.fact(
                        model.EnvyPaid,
                        seat=due.seat,
                        wager="fortune_bonus",
                        for_position=due.for_position,
                        amount_cents=net,
                    )
                )
        elif net > 0:
            moves.append(
                model.fact(
                    model.WagerPaid,
                    **who,
                    source="player_dealer",
                    stake_cents=due.returned_cents,
                    winnings_cents=due.winnings_cents,
                )
            )
        else:
            if net < 0:
                moves.append(model.fact(model.WagerTaken, **who, amount_cents=-net, reason="lost"))
            if due.returned_cents:
                reason = "uncovered" if due.uncovered_cents else "push"
                moves.append(model.fact(model.WagerReturned, **who, amount_cents=due.returned_cents, reason=reason))
    at = next(at for at, each in enumerate(said) if isinstance(each, (*MOVES, model.RoundClosed)))
    before, after = said[:at], [each for each in said[at:] if not isinstance(each, MOVES)]
    return [*before, *moves, *after]


def wagered(seat: int, bettor: str, cents: int) -> Event:
    return model.fact(
        model.WagerPlaced, seat=seat, bettor=bettor, wager="backline", number=None, amount_cents=cents, form="chips"
    )


def with_behind(base: Base, behind: Sequence[tuple[int, str, int]]) -> list[Event]:
    """The events of a round with wagers behind seats, placed with the last of the others."""
    said = payloads(base)
    last = max(at for at, each in enumerate(said) if isinstance(each, model.WagerPlaced))
    return [*said[: last + 1], *(wagered(*each) for each in behind), *said[last + 1 :]]


def offering_backline() -> list[Base]:
    return [base for base in days() if "backline" in book_of(folded(base, base.facts)).offers]


def players(said: Sequence[Event]) -> list[int]:
    return sorted({each.seat for each in said if isinstance(each, model.WagerPlaced) and each.wager == "base"})


# --------------------------------------------------------------------------------------------------------- what is covered


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32))
def test_d22_whatever_the_player_dealer_wagers_is_covered_in_columns_as_by_the_single_path(seed: int) -> None:
    """Settled as it is due by event replay, gross or net: upheld in columns with the same lines, but for uncovered Envy."""
    chance = random.Random(seed)
    base = chance.choice(days())
    said = payloads(base)
    total = sum(each.amount_cents for each in said if isinstance(each, model.WagerPlaced))
    cents = chance.choice((0, 1, total // 7, total // 3, total // 2, total, 3 * total))
    said = settled_anew(base, changed_wager(said, cents))
    facts = written(base, said)
    check = agree(base, facts)
    round_ = folded(base, facts)
    short = any(due.uncovered_cents and due.for_position is not None for due in dues(round_, book_of(round_)))
    assert check in ("upheld", "ineligible") or (
        short and check == "not_in_columns"
    )  # ineligible: before its hand is revealed


def changed_wager(said: Sequence[Event], cents: int) -> list[Event]:
    return [
        msgspec.structs.replace(each, amount_cents=cents) if isinstance(each, model.PlayerDealerWagered) else each
        for each in said
    ]


@settings(max_examples=100)
@given(seed=st.integers(0, 2**32), coverage=st.sampled_from(["gross", "net"]))
def test_d22_what_a_row_is_due_by_either_reading_of_the_coverage(seed: int, coverage: str) -> None:
    """Whatever was done: what the columns say is due is what event replay says, by the rules filed with either reading."""
    chance = random.Random(seed)
    base = chance.choice(days())
    facts = written(base, changed_wager(payloads(base), chance.randrange(0, 60_000, 100)))
    filed = book_of(folded(base, facts))
    text = f'{filed.text.split("[settings]")[0]}[settings]\ncoverage = "{coverage}"\n'
    book = parse_submission(text)
    round_ = folded(base, facts)
    row = empty_row(SCHEMA) | {"stream": base.stream, "game": base.game, "rules": filed.digest}
    write_row(row, round_, filed)
    judged = result_of(Screen({}, text).judge(as_batch([row], SCHEMA)))
    due = {
        (each.seat, each.wager, each.bettor): each.net_cents for each in dues(round_, book) if each.for_position is None
    }
    if not judged.settled[0]:
        assert None in due.values() or any(each.for_position is not None for each in dues(round_, book))
        return
    width = len(SCHEMA.slots)
    in_columns = {}
    for place, cents in enumerate(row["staked"]):
        if cents:
            seat, wager = place // width + 1, SCHEMA.wagers[place % width]
            behind = (seat - 1) * BEHIND + place % width - (width - BEHIND)
            bettor = row["behind"][behind] if wager == "backline" else row[f"bettor_{seat}"]
            in_columns[seat, wager, bettor] = int(judged.due[0, place])
    assert in_columns == due


def test_where_not_all_is_covered_the_seats_are_served_from_the_action_on() -> None:
    """GEGR-002138, Round of play: two wagers settled the other way round are a fault only where not all is covered."""
    seen = set()
    for base in days():
        facts, said = base.facts, payloads(base)
        moved = [at for at, each in enumerate(said) if isinstance(each, (model.WagerTaken, model.WagerPaid))]
        pair = next(((a, b) for a, b in pairwise(moved) if said[a].seat != said[b].seat), None)
        if pair is None:
            continue
        said[pair[0]], said[pair[1]] = said[pair[1]], said[pair[0]]
        short = any(due.uncovered_cents for due in dues(folded(base, facts), book_of(folded(base, facts))))
        seen.add((short, agree(base, written(base, said))))
    assert seen == {
        (False, "upheld"),
        (False, "ineligible"),
        (True, "ineligible"),
    }  # before its hand is revealed: left aside


# -------------------------------------------------------------------------------------------------------- who bets behind


@pytest.mark.parametrize("names", [("a-1",), ("a-2", "a-1"), ("b-1", "a-1", "c-1")])
def test_several_who_bet_behind_one_seat_are_named_as_the_single_path_names_them(names: Sequence[str]) -> None:
    """Covered in the order in which they came, named in that of their names."""
    tried = set()
    for base in offering_backline()[:30]:
        book, seat = book_of(folded(base, base.facts)), players(payloads(base))[0]
        said = with_behind(base, [(seat, name, book.offers["backline"].min_cents) for name in names])
        before = sum(1 for each in payloads(base) if isinstance(each, model.WagerPlaced) and behind_at(each, seat))
        check = agree(base, written(base, settled_anew(base, said)))
        assert check in (("upheld", "ineligible") if before + len(names) <= BEHIND else ("ineligible",))
        if check == "upheld" or before + len(names) > BEHIND:
            tried.add(before)
    assert 0 in tried


def behind_at(event: model.WagerPlaced, seat: int) -> bool:
    return event.wager == "backline" and event.seat == seat


def test_more_behind_a_seat_than_a_row_has_room_for_are_told_by_the_single_path() -> None:
    base = offering_backline()[0]
    book, seat = book_of(folded(base, base.facts)), players(payloads(base))[0]
    said = with_behind(base, [(seat, f"n-{at}", book.offers["backline"].min_cents) for at in range(BEHIND + 1)])
    assert agree(base, written(base, settled_anew(base, said))) == "ineligible"


@pytest.mark.parametrize(
    ("whose", "found"),
    [(lambda said, bank, free: bank, "backline"), (lambda said, bank, free: free, "base_wager")],
)
def test_behind_the_player_dealer_or_nobody(whose: Callable[[Any, int, int | None], int | None], found: str) -> None:
    seen = set()
    for base in offering_backline():
        said = payloads(base)
        bank = next(each.seat for each in said if isinstance(each, model.PlayerDealerWagered))
        free = next((seat for seat in range(1, SEATS + 1) if seat not in (bank, *players(said))), None)
        seat = whose(said, bank, free)
        if seat is None:
            continue
        book = book_of(folded(base, base.facts))
        changed_ = with_behind(base, [(seat, "n-1", book.offers["backline"].min_cents)])
        assert "CA-BACKLINE" in {each.code for each in adjudicate(folded(base, written(base, changed_)), book).findings}
        seen.add(agree(base, written(base, changed_)))
    assert seen == {found}


def test_a_fee_is_the_filed_one_for_players_and_that_or_nothing_for_the_others() -> None:
    """GEGR-002138, Collection procedures: nobody pays twice, whoever bets behind at the own seat is its player."""
    seen: dict[str, set[str]] = {}
    for base in offering_backline()[:20]:
        book, seat = book_of(folded(base, base.facts)), players(payloads(base))[-1]
        fee = int(book.settings["collection"])
        for name, (who, cents) in {
            "behind": ("n-1", fee),
            "behind, another amount": ("n-1", fee + 1),
            "a stranger": ("n-2", fee),
            "the player again": ("", fee),
            "nothing": ("n-1", 0),
        }.items():
            said = with_behind(base, [(seat, "n-1", book.offers["backline"].min_cents)])
            bettor = who or next(e.bettor for e in said if isinstance(e, model.WagerPlaced) and e.seat == seat)
            last = max(at for at, each in enumerate(said) if isinstance(each, model.WagerPlaced))
            said.insert(last + 1, model.CollectionTaken(seat=seat, bettor=bettor, amount_cents=cents))
            check = agree(base, written(base, settled_anew(base, said)))
            seen.setdefault(name, set()).add(check)
    assert {name: checks - {"ineligible"} for name, checks in seen.items()} == {
        "behind": {"upheld"},
        "behind, another amount": {"fees"},
        "a stranger": set(),
        "the player again": {"fees"},
        "nothing": {"upheld"},
    }


def test_d319_money_of_another_than_who_wagered_is_left_to_the_single_path() -> None:
    """Whose it is cannot be told; of a wager behind a seat the name belongs to the wager itself."""
    tried = 0
    for base in days()[:20]:
        said = payloads(base)
        at = next(
            (at for at, each in enumerate(said) if isinstance(each, model.WagerPaid) and each.wager == "base"), None
        )
        if at is not None:
            said[at] = msgspec.structs.replace(said[at], bettor="n-1")
            facts = written(base, said)
            round_ = folded(base, facts)
            assert adjudicate(round_, book_of(round_)).verdict == "UNDETERMINED"
            assert agree(base, facts) == "ineligible"
            tried += 1
    assert tried


# ------------------------------------------------------------------------------------------------------------ the position


@settings(max_examples=300)
@given(seed=st.integers(0, 2**32))
def test_ca_rotate_in_columns_exactly_where_the_single_path_finds_it(seed: int) -> None:
    """Whoever had the position, for however long, and whoever was asked since: nothing is upheld wrongly, and nothing sent on."""
    chance = random.Random(seed)
    base = chance.choice(days())
    state = msgspec.msgpack.decode(base.state, type=TableState)
    taken = next(each for each in payloads(base) if isinstance(each, model.PlayerDealerWagered))
    others = [seat for seat in range(1, SEATS + 1) if chance.random() < 0.6]
    state.patrons = {seat: f"s-{seat}" for seat in others} | {taken.seat: taken.bettor}
    state.patrons_known = chance.random() < 0.8
    before = chance.randrange(0, SEATS + 1)
    holder = chance.choice((taken.bettor, f"s-{before}")) if before else ""
    asked = sorted((seat for seat in state.patrons if seat != before), key=lambda seat: (seat - before) % SEATS)
    if chance.random() < 0.7 and taken.seat in asked and holder != taken.bettor:
        asked = asked[: asked.index(taken.seat) + 1]
    if chance.random() < 0.4:
        asked = [seat for seat in asked if chance.random() < 0.8]
    if chance.random() < 0.2 and asked:
        asked.insert(chance.randrange(len(asked)), chance.choice([*asked, before or 1]))
    seated = tuple(sorted(state.patrons))
    offers = tuple(
        Offer(seat, seat == taken.seat and chance.random() < 0.9, at + 1, seated) for at, seat in enumerate(asked)
    )
    state.position = Held(before, holder, chance.randrange(1, 4) if before else 0, offers)
    said = [each for each in payloads(base) if not isinstance(each, model.PlayerDealerOffered)]
    changed_base = msgspec.structs.replace(base, state=encode(state))
    facts = written(base, said)
    check = agree(changed_base, facts)
    round_ = folded(changed_base, facts)
    wrong = {each.code for each in adjudicate(round_, book_of(round_)).findings}
    assert wrong <= {"CA-ROTATE"}
    assert check == ("rotation" if wrong else "upheld")


def test_the_action_button_lies_where_number_or_dice_point_at() -> None:
    """GEGR-002138, Round of play: every count, whoever deals; the hands are given out from there."""
    for base in days()[:10]:
        said = payloads(base)
        placed = next(each for each in said if isinstance(each, model.ActionButtonPlaced))
        for seat in range(1, SEATS + 1):
            check = agree(base, written(base, changed(base, model.ActionButtonPlaced, seat=seat)))
            assert check == ("upheld" if seat == placed.seat else "button")


def test_nobody_sets_where_the_player_dealer_has_ace_high() -> None:
    """All wagers on the hands push, whether hands were set or not; with any other hand of the player-dealer nothing is known."""
    seen = set()
    for base in days():
        said = [each for each in payloads(base) if not isinstance(each, model.HandSet)]
        round_ = folded(base, base.facts)
        pushes = any(due.outcome == "ace_high_push" for due in dues(round_, book_of(round_)))
        seen.add((pushes, agree(base, written(base, said))))
    assert seen == {(True, "upheld"), (False, "not_in_columns")}


def test_the_player_dealers_foul_hand_is_left_to_the_single_path() -> None:
    """What is due against it cannot be told (D282); with Ace High the hands as set do not matter."""
    seen = set()
    for base in days():
        said, round_ = payloads(base), folded(base, base.facts)
        pushes = any(due.outcome == "ace_high_push" for due in dues(round_, book_of(round_)))
        bank = next(each.seat for each in said if isinstance(each, model.PlayerDealerWagered))
        at = next(
            (at for at, each in enumerate(said) if isinstance(each, model.HandSet) and each.position == bank), None
        )
        if at is None:
            continue
        cards = sorted([*said[at].high, *said[at].low], key=lambda card: "23456789TJQKA".find(card[0]))
        if not is_foul([CODE[card] for card in cards[:5]], [CODE[card] for card in cards[5:]]):
            continue
        said[at] = msgspec.structs.replace(said[at], high=cards[:5], low=cards[5:])
        verdict = adjudicate(folded(base, written(base, said)), book_of(round_)).verdict
        seen.add((pushes, verdict, agree(base, written(base, said))))
    assert seen == {(True, "UPHELD", "upheld"), (False, "UNDETERMINED", "not_in_columns")}


def test_rows_tell_of_all_seven_seats() -> None:
    """A seventh seat has its bettor, its wagers and its Envy Bonuses; its file has room for no more."""
    row = empty_row(SCHEMA)
    assert row["bettor_7"] == ""
    assert "bettor_8" not in row
    assert len(row["staked"]) == SEATS * len(SCHEMA.slots)
    assert len(row["envy_to"]) == 2 * SEATS
    at_seven = [base for base in days() if 7 in players(payloads(base))]
    assert at_seven
    for base in at_seven:
        assert agree(base, base.facts) == "upheld"


def test_a_round_is_not_plain_where_its_start_was_not_read() -> None:
    """Who has the action is not known: every order is followed, by event replay (D22)."""
    base = next(b for b in days() if any(isinstance(each, model.NumberDrawn) for each in payloads(b)))
    said = [each for each in payloads(base) if not isinstance(each, model.NumberDrawn)]
    round_ = folded(base, written(base, said))
    with pytest.raises(Ineligible, match="DEAL-START"):
        write_row(empty_row(SCHEMA), round_, book_of(round_))
    assert CHECKS[-1] == judged_in_columns(round_)[0] == "ineligible"
