"""The simulated floor as a whole: the same seed gives the same bytes, every fault is planted, and the labels are apart."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from events.vocabulary import model
from events.vocabulary.codec import encode_draft
from events.vocabulary.envelope import Draft
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation, simulate
from rulebook.cards.cards import CODE
from rulebook.cards.ranking import seven_card_lines
from rulebook.chapters.chapters import chapter
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import parse_submission
from rulebook.settlement.ace_high import ace_high_line
from rulebook.settlement.progressive import after_winner, contribution, share_cents
from tests.floor import simulated as floors
from tests.floor.simulated import documented

NAME = "face_up_pai_gow"
SEEDS, ROUNDS = floors.DAYS[NAME]


def simulated(seed: int) -> Simulation:
    return floors.simulated(NAME, seed, ROUNDS)


def streams(seed: int) -> dict[str, list[Draft]]:
    return floors.streams(NAME, seed, ROUNDS)


def tables(seed: int) -> dict[str, list[Draft]]:
    return floors.tables(NAME, seed, ROUNDS)


def codes() -> set[str]:
    return {code.partition("/")[0] for code in SIMULATIONS[NAME].anomalies.faults}


def test_a_line_is_the_stream_and_the_draft(tmp_path: Path) -> None:
    simulation = simulate(5, 20)
    simulation.write(tmp_path / "out.jsonl")
    made = [(stream, draft) for stream, drafts in simulation.groups() for draft in drafts]
    assert len(made) == simulation.events
    for name, office in (("out.jsonl", False), ("out.jsonl.office.jsonl", True)):
        lines = (tmp_path / name).read_bytes().splitlines()
        written = [(stream, draft) for stream, draft in made if (stream == "property/main") == office]
        assert written
        for line, (stream, draft) in zip(lines, written, strict=True):
            fields = msgspec.json.decode(line)
            assert fields.pop("stream") == stream
            assert fields == msgspec.json.decode(encode_draft(draft))


def test_there_is_an_injector_for_every_documented_code() -> None:
    assert codes() == documented("evidence.md")


def test_a_small_simulation_is_mostly_plain() -> None:
    simulation = simulate(9, 100)
    assert len(simulation.labels) <= 20
    made = Counter(label.kind for label in simulation.legitimate if label.kind != "two_deck_shuffle")
    assert made.total() <= 40


def test_without_faults_nothing_is_planted() -> None:
    simulation = simulate(3, 120, plant=False)
    assert simulation.labels == []
    assert simulation.legitimate


def test_refuses_what_cannot_be_simulated() -> None:
    with pytest.raises(ValueError, match="at least 5"):
        simulate(1, 10, tables=4)
    with pytest.raises(ValueError, match="0 rounds"):
        simulate(1, 0)


def test_more_tables_and_more_days() -> None:
    simulation = simulate(2, 150, tables=7)
    names = {stream for stream, _ in simulation.groups()}
    assert {f"table/fu-{number:02d}" for number in range(1, 8)} <= names
    assert simulation.rounds == 150


@pytest.mark.parametrize("seed", SEEDS)
def test_rounds_are_numbered_from_one_and_never_restart(seed: int) -> None:
    total = 0
    for stream, drafts in streams(seed).items():
        numbers = [draft.round_no for draft in drafts if isinstance(draft.payload, model.RoundOpened)]
        assert numbers == list(range(1, len(numbers) + 1)), stream
        total += len(numbers)
    assert total == ROUNDS


@pytest.mark.parametrize("seed", SEEDS)
def test_devices_count_without_gaps_and_clocks_run_forward_but_where_planted(seed: int) -> None:
    planted = {(label.stream, label.round_no) for label in simulated(seed).labels if label.code.startswith("LOG-")}
    seen: dict[tuple[str, str], Draft] = {}
    for stream, drafts in streams(seed).items():
        round_no = None
        for draft in drafts:
            if isinstance(draft.payload, model.RoundOpened):
                round_no = draft.round_no
            last = seen.get((stream, draft.source))
            if last is not None and (stream, round_no) not in planted:
                assert draft.source_seq == last.source_seq + 1, (stream, draft)
                assert draft.occurred_at_us >= last.occurred_at_us, (stream, draft)
            seen[stream, draft.source] = draft


AS_DEALT = ("proper_void", "stack_moved")
"""What leaves a position with other than its cards, as they were dealt."""


@pytest.mark.parametrize("seed", SEEDS)
def test_every_deal_is_of_one_deck(seed: int) -> None:
    """No card twice, seven to each position: but if a fault or an irregularity of the deal is labeled."""
    simulation = simulated(seed)
    odd = {
        (label.stream, label.round_no) for label in simulation.labels if label.code in ("DEAL-DECK", "DEAL-COUNT", "DEAL-ORDER")
    }
    odd |= {(label.stream, label.round_no) for label in simulation.labels if label.code == "PAY-VOID"}
    odd |= {(label.stream, label.round_no) for label in simulation.legitimate if label.kind in AS_DEALT}
    for stream, drafts in streams(seed).items():
        hands: dict[tuple[int | None, object], list[str | None]] = {}
        for draft in drafts:
            if isinstance(draft.payload, model.CardsDealt):
                hands.setdefault((draft.round_no, draft.payload.to), []).extend(draft.payload.cards)
        for (round_no, _), cards in hands.items():
            if (stream, round_no) not in odd:
                assert len(cards) == 7, (stream, round_no)
        rounds: dict[int | None, list[int]] = {}
        for (round_no, _), cards in hands.items():
            rounds.setdefault(round_no, []).extend(CODE[card] for card in cards if card is not None)
        for round_no, dealt in rounds.items():
            if (stream, round_no) not in odd:
                assert len(dealt) == len(set(dealt)) >= 48, (stream, round_no)


@pytest.mark.parametrize("seed", SEEDS)
def test_meters_follow_from_their_events_but_where_planted(seed: int) -> None:
    """Every reading is the one before plus the contribution, or after a winner; the tables carry the same values."""
    planted = {(label.stream, label.table, label.round_no, label.seat) for label in simulated(seed).labels}
    events: dict[tuple[str, int], object] = {}
    meters = 0
    for stream, drafts in streams(seed).items():
        if not stream.startswith("meter/"):
            continue
        meters += 1
        value = reserve = 0
        paytable: model.MeterSet | None = None
        for seq, draft in enumerate(drafts, 1):
            event = draft.payload
            events[stream, seq] = event
            if isinstance(event, model.MeterSet):
                paytable, value, reserve = event, event.value_centicents, event.reserve_centicents
            elif isinstance(event, model.MeterAdvanced):
                assert paytable is not None
                value += contribution(event.wager_cents, paytable.rate_bp)
                reserve += contribution(event.wager_cents, paytable.reserve_rate_bp)
                wrong = (stream, event.table, event.round_no, event.seat) in planted
                assert (event.value_centicents != value) is wrong, (stream, seq)
                assert event.reserve_centicents == reserve
                value = event.value_centicents
            elif isinstance(event, model.MeterReset):
                assert paytable is not None
                assert event.paid_centicents == share_cents(value, event.share_bp) * 100
                value = after_winner(value, event.share_bp, paytable.seed_cents)
                assert event.value_centicents == value
    assert meters >= 4
    touched = 0
    for stream, drafts in streams(seed).items():
        for draft in drafts:
            event = draft.payload
            if isinstance(event, model.ProgressiveAccepted):
                advanced = events[f"meter/{event.meter}", event.meter_seq]
                assert isinstance(advanced, model.MeterAdvanced)
                assert (advanced.round_no, advanced.seat) == (draft.round_no, event.seat)
                assert advanced.table == stream.removeprefix("table/")
                assert advanced.value_centicents == event.reading_centicents
                touched += 1
            elif isinstance(event, model.ProgressiveWon):
                reset = events[f"meter/{event.meter}", event.meter_seq]
                assert isinstance(reset, model.MeterReset)
                assert (reset.value_centicents, reset.share_bp) == (event.after_centicents, event.share_bp)
    assert touched > 100


def line_of(wager: str, paytable: Paytable, hand: list[int], dealer: list[int]) -> str | None:
    """Return the line of a wager that a hand makes, or None."""
    if wager == "ace_high_bonus":
        return ace_high_line(dealer, hand)
    best = paytable.best(seven_card_lines(hand, paytable.joker))
    return best.hand if best else None


@pytest.mark.parametrize("seed", SEEDS)
def test_every_line_of_every_paytable_is_won(seed: int) -> None:
    printed = {
        (wager, name, line.hand) for (wager, name), paytable in chapter("pa", "688a").paytables.items() for line in paytable.lines
    }
    assert len(printed) == 126
    assert len(printed - floors.paid_lines(tables(seed), line_of)) <= 2


@pytest.mark.parametrize("seed", SEEDS)
def test_all_paytables_ways_of_dealing_and_shufflers_are_used(seed: int) -> None:
    used: set[tuple[str, str]] = set()
    for drafts in streams(seed).values():
        day = ""
        filed: dict[str, str] = {}
        for draft in drafts:
            match draft.payload:
                case model.GamingDayOpened():
                    day = draft.payload.gaming_day
                case model.RulesFiled():
                    filed[draft.payload.effective_gaming_day] = draft.payload.toml
                case model.TableOpened():
                    used |= {("deal", draft.payload.deal_method), ("shuffler", draft.payload.shuffler)}
                    book = parse_submission(filed[max(each for each in filed if each <= day)])
                    used.add(("start", book.starting))
                    used.add(("linked", str(book.linked_meter)))
                    used |= {(w, o.paytable.name) for w, o in book.offers.items() if o.paytable is not None}
    expected = {("ace_high_bonus", str(n)) for n in range(1, 6)} | {("fortune_bonus", str(n)) for n in range(1, 7)}
    expected |= {("progressive", str(n)) for n in range(1, 8)}
    expected |= {("deal", each) for each in ("manual_shoe", "hand", "automated_shoe")}
    expected |= {("shuffler", each) for each in ("none", "automated", "automated_counting")}
    expected |= {("start", "shaker"), ("start", "number"), ("linked", "True"), ("linked", "False")}
    assert used == expected
