"""Every event and every finding has its words, in one place, and page, packet and command say the same."""

import re
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import msgspec
import pytest

from desk.packet.words import CUSTODY
from desk.review.state import OBJECTIONS
from events import errors
from events.vocabulary import model
from events.vocabulary.base import REGISTRY, Event, Strict
from events.vocabulary.correction_events import Replacement
from events.vocabulary.observation_events import ObservationOpened
from replay.narrative.events import PREDICATES, SENTENCES, predicate, sentence, sentence_of
from replay.narrative.findings import TITLES, finding_title
from replay.rules.rule import SEVERITY
from replay.transcript.write import to_text

KINDS = sorted({cls.KIND for cls in REGISTRY.values()}, key=lambda kind: kind.TYPE)
IDENTIFIER = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]")


def values(type_: Any, name: str) -> list[Any]:
    """Values of a field's type: every one of a closed list, None where it may be, and one number or text otherwise."""
    if get_origin(type_) is Annotated:
        meta = get_args(type_)[1]
        pattern = getattr(meta, "pattern", None) or ""
        if pattern:
            return [text for text in TEXTS if re.search(pattern, text)][:1] or [_fail(name, pattern)]
        inner = get_args(type_)[0]
        if get_origin(inner) is list:
            many = meta.min_length or 2
            return [[each] * many for each in values(get_args(inner)[0], name)[:3]]
        return [max(meta.ge or 0, min(5, meta.le or 5))] if inner is int else values(inner, name)
    if get_origin(type_) is Literal:
        return list(get_args(type_))
    if get_origin(type_) in (Union, types.UnionType):
        return [value for each in get_args(type_) for value in values(each, name)]
    if get_origin(type_) is list:
        return [[each, each] for each in values(get_args(type_)[0], name)[:3]]
    match type_:
        case types.NoneType:
            return [None]
        case _ if type_ is bool:
            return [True, False]
        case _ if type_ is int:
            return [5]
        case _ if type_ is str:
            return ["plain words"]
    if type_ is Replacement:
        return [Replacement(type="total_announced", version=1, round_no=1, payload={"total": 8})]
    if issubclass(type_, Strict):
        parts = {field.name: values(field.type, field.name)[0] for field in msgspec.structs.fields(type_)}
        return [type_(**parts)]
    return [_fail(name, type_)]


TEXTS = ("2026-03-06", "06:00", "USD", "a1", "a" * 32, "a" * 64, "floor+0000abcd+" + "A" * 44, "pile-1", "table/fu-01")


def _fail(name: str, type_: object) -> Any:
    raise AssertionError(f"no value for {name}: {type_}")


def samples(kind: type[Event]) -> Iterator[Event]:
    """Events of a kind, so that each value of each field is in one of them."""
    latest = max((each for each in REGISTRY.values() if each.KIND is kind), key=lambda each: each.VERSION)
    fields = {field.name: values(field.type, field.name) for field in msgspec.structs.fields(latest)}
    for i in range(max(map(len, fields.values()), default=1)):
        yield latest(**{name: some[i % len(some)] for name, some in fields.items()})
    for name, some in fields.items():
        for value in some:
            yield latest(**{**{other: each[0] for other, each in fields.items()}, name: value})


def test_every_registered_event_has_one_sentence() -> None:
    assert {*SENTENCES} | {*PREDICATES} == {*KINDS}
    assert {*SENTENCES} & {*PREDICATES} == set()
    observed = {cls for cls in KINDS if cls.__module__ == ObservationOpened.__module__}
    assert {*PREDICATES} == {*OBJECTIONS} | observed, "what people did is told apart from who did it"
    assert {*CUSTODY} <= {*SENTENCES} | observed


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.TYPE)
def test_page_packet_and_command_say_the_same_of_an_event_without_a_name_of_the_wire(kind: type[Event]) -> None:
    for event in samples(kind):
        words = sentence(event)
        assert not IDENTIFIER.search(words), words
        assert "None" not in words, words
        assert words == words.strip(" ."), words
        assert words[0] == words[0].upper() or kind in PREDICATES, words
        assert sentence_of(event.TYPE, msgspec.to_builtins(event), "USD") == sentence(event, "USD")


def test_a_sentence_of_a_later_version_is_named_by_its_type() -> None:
    assert sentence_of("total_announced", {"sum": 8}) == "Total announced"
    assert sentence_of("something_new", {}) == "Something new"


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (
            model.WagerPaid(
                bettor="p", number=None, seat=3, source="inventory", stake_cents=0, wager="base", winnings_cents=10_000
            ),
            "The dealer paid seat 3 $100.00 on the Base wager",
        ),
        (
            model.WagerPaid(
                bettor="p", number=4, seat=3, source="slip", stake_cents=500, wager="match", winnings_cents=10_000
            ),
            "The dealer paid seat 3 $100.00 on the Match on 4 by slip, and returned the $5.00 stake",
        ),
        (model.StubCounted(count=1, exposed=0), "The dealer counted 1 card in the stub"),
        (model.StubCounted(count=4, exposed=2), "The dealer counted 4 cards in the stub, 2 of them exposed"),
        (
            model.ProgressiveLocked(accepted=1, collected=2),
            "The progressive locked with 1 wager accepted; the dealer collected 2 chips",
        ),
        (
            model.DeckInspected(by="d-1", deck="k-1", verified_by=None),
            "D-1 inspected deck k-1, and no one verified it",
        ),
        (model.CardExposed(by="player", card="Ks", whose=2), "A player exposed K♠ of seat 2"),
        (model.CardsDealt(cards=["Ks", None], face_up=True, to="dealer"), "The dealer dealt K♠ ? to the dealer, face up"),
        (model.DiceRolled(colours=None, dice=[1, None, 6], lie="not_flat"), "The dice showed 1, ? and 6, and did not lie flat"),
        (
            model.EventCorrected(
                by="f-1",
                reason="misread",
                supersedes_event_id="0" * 32,
                supersedes_seq=7,
                replacement=Replacement(type="total_announced", version=1, round_no=1, payload={"total": 8}),
            ),
            "F-1 corrected event 7 (misread): The dealer announced a total of 8",
        ),
        (
            model.EventCorrected(
                by="f-1", reason="a slip", supersedes_event_id="0" * 32, supersedes_seq=7, replacement=None
            ),
            "F-1 struck event 7, which never happened: a slip",
        ),
        (model.FindingNoted(by="ann", finding_id="0" * 32, note="called the cage"), "ann noted: called the cage"),
    ],
)  # fmt: skip
def test_what_an_event_says(event: Event, words: str) -> None:
    assert sentence(event, "USD") == words


def test_an_amount_is_in_the_property_s_currency() -> None:
    taken = model.VigorishTaken(amount_cents=123_450, bettor="p", seat=2)
    assert sentence(taken, "EUR") == "The dealer took a vigorish of €1,234.50 from seat 2"


def test_a_review_s_predicate_leaves_out_who_did_it_and_the_currency() -> None:
    paid = model.FindingResolved(
        by="ann",
        finding_id="0" * 32,
        disposition="confirmed_paid_patron",
        amount_cents=2500,
        duplicate_of=None,
        reason="cage",
        signs=None,
    )
    assert predicate(paid) == "resolved the finding: fault confirmed, the patron was paid, 25.00: cage"
    assert sentence(paid, "USD") == f"ann {predicate(paid, 'USD')}"
    assert predicate(model.TotalAnnounced(total=8)) == "The dealer announced a total of 8"


def test_the_transcript_tells_in_the_same_sentence_what_it_has_no_statement_for() -> None:
    event = model.BuyIn(amount_cents=50_000, form="cash", patron="p-1", seat=3)
    text = to_text([(12, 0, event)], table="fu-01", round_no=1)
    assert f"# event 12: {sentence(event, 'USD')} (not part of the notation)" in text


def registered_codes() -> set[str]:
    """The codes of rules and of faults of the log."""
    faults = [value for value in vars(errors).values() if isinstance(value, type)]
    return {*SEVERITY} | {fault.code for fault in faults if isinstance(getattr(fault, "code", None), str) and fault.code}


def test_every_registered_code_has_one_title_of_at_most_four_words() -> None:
    assert {*TITLES} == registered_codes()
    assert len({*TITLES.values()}) == len(TITLES)
    for title in TITLES.values():
        assert len(title.split()) <= 4, title
        assert not IDENTIFIER.search(title), title
        assert title == title[0].upper() + title[1:].strip(" ."), title
    assert finding_title("NEW-CODE") == "NEW-CODE"
