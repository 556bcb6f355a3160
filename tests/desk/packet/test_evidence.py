"""What a verdict rests on: few events of a stream, which alone lead to the verdict that the whole stream leads to."""

import random
from collections.abc import Iterator, Sequence

import msgspec
import pytest

from desk.packet.evidence import RoundUnknown, evidence, is_same, judge, listed
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read
from replay.findings import Adjudication
from replay.run.refold import Reader
from replay.run.replayer import MemoryResults, adjudications, replay
from tests.replay.run.test_published_editions import ACE_HIGH, WORDS, amendment
from tests.replay.streams import eventful, fill, paid, taken
from tests.replay.tables import PAID, UNPAID, MemoryLog, Table, records


def replayed(table: Table) -> dict[int, Adjudication]:
    """What a replay of the whole stream says, without what it said before."""
    results = MemoryResults()
    replay(MemoryLog([table]), results)
    said = adjudications(results)
    return {each.round_no: msgspec.structs.replace(each, revision=1, supersedes=None, withdrawn=()) for each in said}


def reading(stored: Sequence[Record]) -> Reader:
    def read(first: int = 1, last: int | None = None) -> Iterator[Record]:
        yield from (each for each in stored if first <= each.seq <= (last if last is not None else each.seq))

    return read


def many(rounds: int = 30) -> Table:
    table = Table()
    for number in range(1, rounds + 1):
        table.say(fill(number * 100))
        table.play(number, UNPAID if number % 3 == 0 else PAID)
    return table


def test_every_round_of_an_eventful_table_is_judged_as_in_the_replay() -> None:
    """Slips, gaps, refusals, and corrections near and far: whatever a verdict rests on is among the events."""
    table = eventful()
    said = replayed(table)
    assert set(said) == set(range(1, 10))
    for number in range(1, 10):  # the tenth is open
        chosen, whole = evidence(table.stream, reading(records(table)), number)
        assert is_same(whole.adjudication, said[number]), number
        alone = judge(table.stream, listed(chosen.records), number, span=chosen.span)
        assert alone is not None
        assert is_same(alone.adjudication, said[number]), number


def test_of_a_long_stream_only_little_is_taken() -> None:
    table = many()
    chosen, whole = evidence(table.stream, reading(records(table)), 24)
    numbers = [record.seq for record in chosen.records]
    assert numbers == sorted(set(numbers))
    assert set(range(chosen.begins, chosen.ends + 1)) <= set(numbers)
    assert len(numbers) < len(table.drafts) / 8
    kinds = [read(record.data).payload.TYPE for record in chosen.records]
    assert "rules_filed" in kinds
    assert kinds.count("round_opened") == 2, "the round and the one before"
    assert whole.adjudication.as_of == {table.stream: table.last}
    assert [found.code for found in whole.adjudication.findings] == ["PAY-MISSED"]


def test_what_shows_that_evidence_of_the_round_was_lost_is_taken() -> None:
    """The last message of the felt about round 5 was lost, which shows in round 6: both rest on that event (D656)."""
    table = many(4)
    for number in range(5, 13):
        felt = "pay     seat=3 base 25.00\ntake    seat=1 base 10.00\nclose\n"
        table.play(number, PAID.replace(felt, ""))
        table.say(paid(source="inventory"), number, source="felt")
        table.say(taken(), number, source="felt", source_seq=table.next("felt") + (number == 6))
        table.say(model.RoundClosed(by="d-7"), number)
    said = replayed(table)
    assert [number for number, each in said.items() if each.verdict == "UNDETERMINED"] == [6]
    table.drafts = [draft for draft in table.drafts if not (draft.round_no == 5 and draft.payload == taken())]
    said = replayed(table)
    assert [number for number, each in said.items() if each.verdict == "UNDETERMINED"] == [5, 6]
    for number in range(4, 8):
        chosen, whole = evidence(table.stream, reading(records(table)), number)
        assert is_same(whole.adjudication, said[number]), number
        assert len(chosen.records) < len(table.drafts) / 2


def test_what_was_said_later_of_the_round_is_taken() -> None:
    table = many(12)
    wrong = next(
        seq for seq, draft in enumerate(table.drafts, 1) if draft.round_no == 5 and isinstance(draft.payload, model.WagerTaken)
    )
    slip = table.say(model.LightSeen(seat=3), 5)
    first = table.correct(wrong, taken(300), 5)
    second = table.correct(first, None)
    other = table.say(model.LightSeen(seat=3), 9)
    chosen, whole = evidence(table.stream, reading(records(table)), 5)
    assert {slip, first, second} <= {record.seq for record in chosen.records}
    assert other not in {record.seq for record in chosen.records}
    assert is_same(whole.adjudication, replayed(table)[5])


def test_a_late_correction_of_a_device_that_spoke_since_costs_only_its_next_event() -> None:
    """The correction is about an event before the round: what its device said in between is no evidence of the round."""
    table = many(40)
    before = next(seq for seq, draft in enumerate(table.drafts, 1) if draft.payload == fill(500))
    late = table.correct(before, None)
    chosen, whole = evidence(table.stream, reading(records(table)), 5)
    spoke = [seq for seq, draft in enumerate(table.drafts, 1) if draft.source == table.drafts[late - 1].source]
    following = min(seq for seq in spoke if seq > chosen.ends)
    assert {following, late} <= {record.seq for record in chosen.records}
    assert is_same(whole.adjudication, replayed(table)[5])
    assert len(chosen.records) < len(table.drafts) / 10


def test_a_loss_after_a_device_was_heard_again_is_no_evidence_of_the_round() -> None:
    """The device's first event after the round shows that nothing of the round was lost; later its numbers skip (D656)."""
    table = many(12)
    before = next(seq for seq, draft in enumerate(table.drafts, 1) if draft.payload == fill(500))
    late = table.correct(before, None)
    source = table.drafts[late - 1].source
    table.say(fill(7), source=source, source_seq=table.next(source) + 3)
    last = table.correct(late, fill(600))
    chosen, whole = evidence(table.stream, reading(records(table)), 5)
    alone = judge(table.stream, listed(chosen.records), 5, span=chosen.span)
    assert last in {record.seq for record in chosen.records}
    assert alone is not None
    assert is_same(alone.adjudication, whole.adjudication)
    assert is_same(whole.adjudication, replayed(table)[5])
    assert len(chosen.records) < len(table.drafts) / 3


@pytest.mark.parametrize("at", [0, 5, 12], ids=["before the round", "in between", "after the last"])
def test_the_amendment_that_a_round_was_judged_by_is_taken(at: int) -> None:
    """Whenever it was published: a late one judges the rounds of its days again (D921)."""
    table = Table(words=WORDS)
    for number in range(13):
        if number:
            table.play(number, ACE_HIGH)
        if number == at:
            seq = table.say(amendment(table.day), source="filing-m-ortiz")
    for number in (2, 12):
        chosen, whole = evidence(table.stream, reading(records(table)), number)
        assert seq in {record.seq for record in chosen.records}
        assert whole.adjudication.edition == 2
        assert is_same(whole.adjudication, replayed(table)[number])
        assert len(chosen.records) < len(table.drafts)


def test_a_correction_of_the_rules_reaches_a_round_long_after() -> None:
    table = many(12)
    filing = next(seq for seq, draft in enumerate(table.drafts, 1) if isinstance(draft.payload, model.RulesFiled))
    text = table.payload(filing).toml.replace("pa-688a", "pa-000")
    corrected = table.correct(filing, msgspec.structs.replace(table.payload(filing), toml=text))
    chosen, whole = evidence(table.stream, reading(records(table)), 7)
    assert {filing, corrected} <= {record.seq for record in chosen.records}
    assert whole.adjudication.verdict == "UNDETERMINED"
    assert isinstance(whole.book, str)


@pytest.mark.parametrize("seed", range(4))
def test_the_first_rounds_and_the_last(seed: int) -> None:
    table = many(6)
    number = random.Random(seed).choice((1, 2, 6))
    chosen, _ = evidence(table.stream, reading(records(table)), number)
    alone = judge(table.stream, listed(chosen.records), number, span=chosen.span)
    assert alone is not None
    assert is_same(alone.adjudication, replayed(table)[number])


def test_an_event_left_out_of_the_round_changes_the_verdict() -> None:
    table = many(6)
    chosen, whole = evidence(table.stream, reading(records(table)), 6)
    less = [each for each in chosen.records if not isinstance(read(each.data).payload, model.WagerPlaced)]
    alone = judge(table.stream, listed(less), 6, span=chosen.span)
    assert alone is None or not is_same(alone.adjudication, whole.adjudication)


def test_a_round_without_a_verdict_is_refused_by_name() -> None:
    table = many(3)
    table.play(4, PAID.replace("close\n", ""))
    withdrawn = next(
        seq for seq, draft in enumerate(table.drafts, 1) if draft.round_no == 2 and isinstance(draft.payload, model.RoundOpened)
    )
    table.correct(withdrawn, None)
    stored: list[Record] = records(table)
    with pytest.raises(RoundUnknown, match="no round 9; there are rounds 1 to 4"):
        evidence(table.stream, reading(stored), 9)
    with pytest.raises(RoundUnknown, match="round 4 is not over"):
        evidence(table.stream, reading(stored), 4)
    with pytest.raises(RoundUnknown, match="round 2 was never opened"):
        evidence(table.stream, reading(stored), 2)
    with pytest.raises(RoundUnknown, match="there are none"):
        evidence("table/x", reading(records(Table("table/x"))), 1)
