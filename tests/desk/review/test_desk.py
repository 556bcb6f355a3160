"""Review is evidence: what is refused, what a stream comes to, and that no verdict rests on it."""

from collections.abc import Iterator

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.review.desk import Desk, ReviewRefused, gaming_day
from desk.review.persons import Person, Persons
from desk.review.state import OBJECTIONS, TableReview
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from events.vocabulary.model import Event, GamingDayOpened, PropertyConfigured
from replay.narrative.reviews import DISPOSITIONS, INVESTIGATION_OUTCOMES, MOVES_MONEY, OUTCOMES
from replay.run.replayer import MemoryResults, findings, replay, resolve_time
from tests.desk.people import PEOPLE, pay_what_is_owed
from tests.events.strategies import payloads_of
from tests.replay.stored import stored
from tests.replay.tables import DAY, DESK_US, SECOND_US, START_US, UNPAID, Table, append

STREAM = "review/fu-01"
WHY = "as the shift log says"


@pytest.fixture
def table(log: SqliteLog, results: SqliteResults) -> Table:
    """A table with one round in which seat 3 was not paid, replayed."""
    table = Table()
    table.play(1, UNPAID)
    append(log, table)
    replay(log, results)
    return table


@pytest.fixture
def desk(table: Table, log: SqliteLog, results: SqliteResults) -> Desk:
    return Desk(log, results, persons=PEOPLE, clock=lambda: DESK_US)


@pytest.fixture
def missed(desk: Desk, results: SqliteResults) -> str:
    """The id of its finding PAY-MISSED."""
    (finding,) = findings(results)
    return finding.id


def paid_out(desk: Desk, missed: str, by: str = "s.lee", cents: int = 2_500) -> None:
    desk.resolve(missed, disposition="confirmed_paid_patron", amount_cents=cents, by=by, reason="paid at the cage")


# ----------------------------------------------------------------------------------------------------------- the desk


def test_a_finding_goes_its_way_and_nothing_is_overwritten(desk: Desk, missed: str) -> None:
    states = [desk.case(missed).review.state]
    for step in (
        lambda: desk.assign(missed, to="s.lee", by="m.ortiz", reason=WHY),
        lambda: desk.note(missed, note="camera 4 shows seat 3 waiting", by="s.lee"),
        lambda: paid_out(desk, missed),
        lambda: desk.sign(missed, by="m.ortiz", reason="slip seen"),
        lambda: desk.reopen(missed, by="m.ortiz", reason="the slip is of another patron"),
        lambda: desk.assign(missed, to="k.may", by="m.ortiz", reason=WHY),
        lambda: desk.resolve(missed, disposition="cannot_tell", by="k.may", reason="no video is left"),
    ):
        step()
        states.append(desk.case(missed).review.state)
    assert states == ["open", "assigned", "assigned", "awaiting_signature", "resolved", "reopened", "assigned", "resolved"]
    review = desk.case(missed).review
    assert [entry.by for entry in review.history] == ["m.ortiz", "s.lee", "s.lee", "m.ortiz", "m.ortiz", "m.ortiz", "k.may"]
    assert [entry.seq for entry in review.history] == [2, 3, 4, 5, 6, 7, 8]
    assert {entry.round_no for entry in review.history} == {1}
    assert review.history[2].says == "resolved the finding: fault confirmed, the patron was paid, 25.00: paid at the cage"
    assert review.resolution is not None
    assert (review.resolution.disposition, review.resolution.second_by) == ("cannot_tell", None)


@pytest.mark.parametrize("disposition", sorted(DISPOSITIONS))
def test_what_moves_money_names_the_amount_and_waits_for_a_second_signature(desk: Desk, missed: str, disposition: str) -> None:
    other = "0" * 32 if disposition == "duplicate" else None
    if disposition == "duplicate":
        with pytest.raises(ReviewRefused, match="no single finding matches"):
            desk.resolve(missed, disposition=disposition, duplicate_of=other, by="s.lee", reason=WHY)
        return
    moves = disposition in MOVES_MONEY
    with pytest.raises(ReviewRefused, match="must say the amount" if moves else "names no amount"):
        desk.resolve(missed, disposition=disposition, amount_cents=None if moves else 1, by="s.lee", reason=WHY)
    with pytest.raises(ReviewRefused, match="must say the amount" if moves else "names no amount"):
        desk.resolve(missed, disposition=disposition, amount_cents=0 if moves else 1, by="s.lee", reason=WHY)
    desk.resolve(missed, disposition=disposition, amount_cents=1 if moves else None, by="s.lee", reason=WHY)
    assert desk.case(missed).review.state == ("awaiting_signature" if moves else "resolved")


def test_the_second_signature_is_another_persons_under_the_same_words(desk: Desk, missed: str) -> None:
    with pytest.raises(ReviewRefused, match="does not wait for a second signature"):
        desk.sign(missed, by="m.ortiz", reason=WHY)
    paid_out(desk, missed)
    with pytest.raises(ReviewRefused, match=r"s\.lee has signed already"):
        desk.sign(missed, by="s.lee", reason=WHY)
    with pytest.raises(ReviewRefused, match="another disposition or amount"):
        desk.sign(missed, by="m.ortiz", reason=WHY, amount_cents=2_501)
    desk.sign(missed, by="m.ortiz", reason=WHY, amount_cents=2_500)
    resolution = desk.case(missed).review.resolution
    assert resolution is not None
    assert (resolution.by, resolution.second_by, resolution.amount_cents) == ("s.lee", "m.ortiz", 2_500)
    with pytest.raises(ReviewRefused, match="does not wait"):
        desk.sign(missed, by="k.may", reason=WHY)


def test_what_is_disposed_of_is_reopened_first(desk: Desk, missed: str) -> None:
    with pytest.raises(ReviewRefused, match="nothing to reopen"):
        desk.reopen(missed, by="m.ortiz", reason=WHY)
    paid_out(desk, missed)
    for refused in (
        lambda: desk.assign(missed, to="k.may", by="m.ortiz", reason=WHY),
        lambda: paid_out(desk, missed, by="m.ortiz"),
    ):
        with pytest.raises(ReviewRefused, match="reopen it first"):
            refused()
    desk.note(missed, note="the patron came back", by="k.may")
    desk.reopen(missed, by="m.ortiz", reason="refused: no slip")
    paid_out(desk, missed, by="k.may")
    assert desk.case(missed).review.state == "awaiting_signature"


@pytest.mark.parametrize("reason", ["", "x" * 401])
def test_why_is_in_form_or_nothing_is_written(desk: Desk, missed: str, reason: str) -> None:
    with pytest.raises(ReviewRefused, match=r"FindingAssigned\.reason: .*nothing was written"):
        desk.assign(missed, to="s.lee", by="m.ortiz", reason=reason)
    assert STREAM not in desk.log.streams()
    desk.assign(missed, to="s.lee", by="m.ortiz", reason="x" * 400)


# ------------------------------------------------------------------------------------------------------------ persons

OTHER_SPELLINGS = (
    "s.lee",
    "S.LEE",
    " s.lee\t",
    "s.lee@bellwether.example",
    "S.Lee@Bellwether.Example",
    "\N{FULLWIDTH LATIN SMALL LETTER S}.lee",
    "\N{LATIN SMALL LETTER LONG S}.lee",
    "s.\N{ZERO WIDTH SPACE}lee",
    "s\N{FULLWIDTH FULL STOP}lee",
    "s.\N{MATHEMATICAL BOLD SMALL L}ee",
)


@pytest.mark.parametrize("spelling", OTHER_SPELLINGS)
def test_the_same_person_does_not_sign_twice_however_the_name_is_spelled(desk: Desk, missed: str, spelling: str) -> None:
    paid_out(desk, missed)
    with pytest.raises(ReviewRefused, match=r"s\.lee has signed already"):
        desk.sign(missed, by=spelling, reason=WHY)
    desk.reopen(missed, by="m.ortiz", reason=WHY)
    paid_out(desk, missed, by=spelling)
    with pytest.raises(ReviewRefused, match=r"s\.lee has signed already"):
        desk.sign(missed, by="s.lee", reason=WHY)
    assert desk.case(missed).review.state == "awaiting_signature"
    assert {entry.by for entry in desk.case(missed).review.history} == {"s.lee", "m.ortiz"}, "the id is recorded"


@pytest.mark.parametrize(
    "stranger", ["s.leee", "slee", "s-lee", "s.l\N{CYRILLIC SMALL LETTER IE}e", "s.lee@x", "", "x" * 70, "\x00"]
)
def test_nobody_acts_who_is_not_registered(desk: Desk, missed: str, stranger: str) -> None:
    paid_out(desk, missed)
    written = desk.log.head(STREAM).seq
    shown = {"camera": "cam-4", "reason": WHY, "starts_us": 1, "ends_us": 2}
    for action in (
        lambda: desk.assign(missed, to="m.ortiz", by=stranger, reason=WHY),
        lambda: desk.assign(missed, to=stranger, by="m.ortiz", reason=WHY),
        lambda: desk.note(missed, note="x", by=stranger),
        lambda: desk.sign(missed, by=stranger, reason=WHY),
        lambda: desk.reopen(missed, by=stranger, reason=WHY),
        lambda: paid_out(desk, missed, by=stranger),
        lambda: desk.mark_video("fu-01", 1, by=stranger, **shown),
        lambda: desk.open_dispute("fu-01", 1, dispute="d", claim="x", by=stranger),
        lambda: desk.close_dispute("fu-01", dispute="d", outcome="for_patron", by=stranger, reason=WHY),
        lambda: desk.open_investigation("fu-01", **(FIGURES | {"by": stranger})),
        lambda: desk.close_investigation("fu-01", investigation="i", outcome="explained_by_play", by=stranger, reason=WHY),
    ):
        with pytest.raises(ReviewRefused, match=r"not registered.*k\.may, m\.ortiz|reopen it first"):
            action()
    assert desk.log.head(STREAM).seq == written


def test_a_first_signature_by_nobody_who_is_registered_takes_no_second(
    desk: Desk, missed: str, log: SqliteLog, results: SqliteResults
) -> None:
    """As an earlier version recorded it, or after somebody left: no one can tell whether these are two people."""
    former = Persons([*PEOPLE.all, Person(id="lee", name="Lee")], "persons.toml")
    Desk(log, results, persons=former, clock=desk._clock).resolve(
        missed, disposition="confirmed_recovered", amount_cents=1, by="lee", reason=WHY
    )
    with pytest.raises(ReviewRefused, match="lee signed first and is not registered"):
        desk.sign(missed, by="s.lee", reason=WHY)
    desk.reopen(missed, by="s.lee", reason=WHY)


def test_without_a_register_nobody_acts_and_looks_are_recorded(table: Table, log: SqliteLog, results: SqliteResults) -> None:
    bare = Desk(log, results)
    (finding,) = findings(results)
    with pytest.raises(ReviewRefused, match="RACK_PERSONS"):
        bare.note(finding.id, note="x", by="m.ortiz")
    assert bare.viewed("fu-01", 1, what="round", by="a.auditor", reason=WHY).by == "a.auditor"


def test_a_look_is_recorded_under_the_id_of_who_is_registered(desk: Desk) -> None:
    by = "S.Lee@bellwether.example"
    assert desk.viewed("fu-01", 1, what="round", by=by, reason=WHY).by == "s.lee"
    exported = desk.exported("fu-01", 1, what="packet", digest="0" * 64, form="pdf", by=by, reason=WHY)
    assert exported.by == "s.lee"


def test_a_finding_is_named_by_its_first_digits_if_no_other_begins_so(desk: Desk, missed: str) -> None:
    assert desk.case(missed[:6]).finding.id == missed
    for unknown in ("", "not", missed[:6] + "zz", "0" * 32 if missed[0] != "0" else "1" * 32):
        with pytest.raises(ReviewRefused, match="no single finding matches"):
            desk.case(unknown)


def test_an_unknown_disposition_lists_those_there_are(desk: Desk, missed: str) -> None:
    with pytest.raises(ReviewRefused, match=r"'paid' is no disposition: confirmed_paid_patron, .*cannot_tell"):
        desk.resolve(missed, disposition="paid", by="s.lee", reason=WHY)


def test_every_disposition_and_outcome_of_the_vocabulary_has_words() -> None:
    fields = {field.name: field.type for field in msgspec.structs.fields(model.FindingResolved)}
    assert set(fields["disposition"].__args__) == set(DISPOSITIONS)
    closed = {field.name: field.type for field in msgspec.structs.fields(model.DisputeClosed)}
    assert set(closed["outcome"].__args__) == set(OUTCOMES)
    assert set(DISPOSITIONS) >= MOVES_MONEY


def test_a_dispute_is_opened_once_and_closed_once(desk: Desk) -> None:
    opened = desk.open_dispute("fu-01", 1, dispute="d-1", claim="never got my 25", by="m.ortiz", seat=3, patron="p-3")
    assert opened.says == "opened dispute d-1: never got my 25"
    with pytest.raises(ReviewRefused, match="there is a dispute d-1 already"):
        desk.open_dispute("fu-01", 2, dispute="d-1", claim=WHY, by="m.ortiz")
    with pytest.raises(ReviewRefused, match="there is no dispute d-2"):
        desk.close_dispute("fu-01", dispute="d-2", outcome="for_patron", by="m.ortiz", reason=WHY)
    with pytest.raises(ReviewRefused, match="no outcome of a dispute: for_patron"):
        desk.close_dispute("fu-01", dispute="d-1", outcome="paid", by="m.ortiz", reason=WHY)
    pay_what_is_owed(desk)
    desk.close_dispute("fu-01", dispute="d-1", outcome="for_patron", by="m.ortiz", reason=WHY)
    with pytest.raises(ReviewRefused, match="closed already"):
        desk.close_dispute("fu-01", dispute="d-1", outcome="for_house", by="m.ortiz", reason=WHY)
    dispute = desk.review("fu-01").disputes["d-1"]
    assert (dispute.round_no, dispute.seat, dispute.outcome, len(dispute.history)) == (1, 3, "for_patron", 2)
    with pytest.raises(ReviewRefused, match="no table 'fu-09'"):
        desk.open_dispute("fu-09", 1, dispute="d-3", claim=WHY, by="m.ortiz")


def test_views_and_exports_are_the_custody_log(desk: Desk) -> None:
    desk.viewed("fu-01", 1, what="round", by="a.ditor", reason="inquiry 7")
    desk.exported("fu-01", None, what="table", digest="5e" * 32, form="csv", by="a.ditor", reason="inquiry 7")
    review = desk.review("fu-01")
    assert [(entry.round_no, entry.what, entry.by) for entry in review.custody] == [
        (1, "record_viewed", "a.ditor"),
        (None, "record_exported", "a.ditor"),
    ]
    assert [entry.seq for entry in review.of_round(1)] == [2]


def test_video_is_of_the_round_of_its_finding(desk: Desk, missed: str) -> None:
    shown = {"camera": "cam-4", "by": "s.lee", "reason": WHY}
    desk.mark_video("fu-01", 1, starts_us=1, ends_us=2, finding_id=missed[:8], **shown)
    for round_no, starts_us, problem in ((1, 2, "ends before it starts"), (2, 1, "is not of table fu-01, round 2")):
        with pytest.raises(ReviewRefused, match=problem):
            desk.mark_video("fu-01", round_no, starts_us=starts_us, ends_us=2, finding_id=missed, **shown)
    assert [entry.what for entry in desk.case(missed).review.history] == ["video_marked"]


def test_two_desks_at_once_never_contradict_each_other(desk: Desk, missed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between reading and writing another person resolved the finding: their word is first, and ours is refused."""
    read = desk.review
    other = Desk(desk.log, desk.results, persons=PEOPLE, clock=desk._clock)
    seen: list[TableReview] = []

    def meanwhile(table: str) -> TableReview:
        review = read(table)
        if len(seen) == 1:  # `case` reads first, then the writer
            other.resolve(missed, disposition="false_alarm", by="k.may", reason=WHY)
        seen.append(review)
        return review

    monkeypatch.setattr(desk, "review", meanwhile)
    with pytest.raises(ReviewRefused, match="disposed of already"):
        paid_out(desk, missed)
    assert [entry.by for entry in read("fu-01").finding(missed).history] == ["k.may"]


# ------------------------------------------------------------------------------------------------- withdrawn findings


def corrected(table: Table, log: SqliteLog) -> None:
    """Append a correction after which the round has no finding: seat 3 had no wager."""
    before = table.last
    seq = next(
        n for n, draft in enumerate(table.drafts, 1) if isinstance(draft.payload, model.WagerPlaced) and draft.payload.seat == 3
    )
    table.correct(seq, None)
    append(log, table, after={table.stream: before})


def test_a_finding_that_a_correction_withdrew_can_be_noted_and_reopened_only(
    desk: Desk, missed: str, table: Table, log: SqliteLog, results: SqliteResults
) -> None:
    paid_out(desk, missed)
    corrected(table, log)
    replay(log, results)
    assert findings(results) == []
    (case,) = desk.cases()
    assert (case.withdrawn, case.finding.id, case.review.state) == (True, missed, "awaiting_signature")
    with pytest.raises(ReviewRefused, match="withdrawn by a later verdict: it can be noted or reopened, not signed"):
        desk.sign(missed, by="m.ortiz", reason=WHY)
    desk.reopen(missed, by="m.ortiz", reason="the record was wrong")
    with pytest.raises(ReviewRefused, match="not resolved"):
        paid_out(desk, missed)
    desk.note(missed, note="the 25.00 were asked back", by="m.ortiz")
    assert desk.case(missed).withdrawn


def test_as_of_reproduces_the_earlier_verdict_also_with_reviews_present(
    desk: Desk, missed: str, table: Table, log: SqliteLog, results: SqliteResults
) -> None:
    """A time between the verdict and the correction: the finding remains; the reviews in between change nothing."""
    end = table.last
    desk.assign(missed, to="s.lee", by="m.ortiz", reason=WHY)
    paid_out(desk, missed)
    corrected(table, log)
    desk.note(missed, note="corrected", by="m.ortiz")
    (first,) = list(results.results("adjudications"))
    assert replay(log, results).findings == {}
    review = [record.seq for record in log.read(STREAM)]
    assert len(review) == 4
    for as_of in ({"table/fu-01": end}, {"table/fu-01": end, STREAM: 3}, resolve_time(log, _recorded(log, STREAM, 3))):
        memory = MemoryResults()
        assert replay(log, memory, as_of=as_of).findings == {"PAY-MISSED": 1}
        assert list(memory.results("adjudications")) == [first]


def _recorded(log: SqliteLog, stream: str, seq: int) -> int:
    from events.vocabulary.codec import decode

    (record,) = log.read(stream, seq, seq)
    return decode(record.data).recorded_at_us


def test_no_verdict_rests_on_a_review(desk: Desk, missed: str, log: SqliteLog, results: SqliteResults) -> None:
    before = stored(results)
    paid_out(desk, missed)
    assert replay(log, results).changed == 0
    assert stored(results) == before


# -------------------------------------------------------------------------------------------------- the gaming day


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("2026-03-02T10:59:59Z", "2026-03-01"),
        ("2026-03-02T11:00:00Z", "2026-03-02"),  # winter: six in the morning is 11 UTC
        ("2026-03-09T09:59:59Z", "2026-03-08"),
        ("2026-03-09T10:00:00Z", "2026-03-09"),
    ],  # summer: 10 UTC
)
def test_the_gaming_day_of_a_review_begins_at_the_propertys_cutover(at: str, day: str) -> None:
    from rack.arguments import as_of

    _, at_us = as_of([at])
    configured = PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="Bellwether", time_zone="America/New_York")
    assert gaming_day(at_us or 0, configured) == day


def test_the_review_stream_opens_its_gaming_days_itself(
    table: Table, log: SqliteLog, results: SqliteResults, desk: Desk, missed: str
) -> None:
    """Without a word of the property it is the table's last; with one, the property's; never a step back."""
    desk.note(missed, note="first", by="m.ortiz")
    office = Table("property/main", words=None)
    office.say(PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="x", time_zone="America/New_York"))
    append(log, office)
    day_us = 86_400 * SECOND_US
    for later_us in (2 * day_us, 2 * day_us + 1, day_us):  # the clock of the third runs back
        Desk(log, results, persons=PEOPLE, clock=lambda later_us=later_us: START_US + later_us).note(
            missed, note="x", by="m.ortiz"
        )
    said = [event.payload for event in _events(log)]
    assert [each.gaming_day if isinstance(each, GamingDayOpened) else each.TYPE for each in said] == [
        DAY,
        "finding_noted",
        "2026-03-03",
        "finding_noted",
        "finding_noted",
        "finding_noted",
    ]


def _events(log: SqliteLog) -> Iterator[model.Event]:
    from events.vocabulary.codec import decode

    return (decode(record.data) for record in log.read(STREAM))


# --------------------------------------------------------------------------------------------------------- the fold

F, G = "0f" * 16, "1e" * 16


def resolved(**changed: object) -> Event:
    fields: dict[str, object] = {
        "amount_cents": 100,
        "by": "s.lee",
        "disposition": "confirmed_paid_patron",
        "duplicate_of": None,
        "finding_id": F,
        "reason": WHY,
        "signs": None,
    }
    return model.FindingResolved(**(fields | changed))


@pytest.mark.parametrize(
    ("said", "state", "objection"),
    [
        ([resolved(), resolved(by="m.ortiz", signs=1)], "resolved", ""),
        ([resolved(), resolved(by="s.lee", signs=1)], "awaiting_signature", "signed already"),
        ([resolved(), resolved(by="m.ortiz", signs=2)], "awaiting_signature", "waits is event 1, not event 2"),
        ([resolved(), resolved(by="m.ortiz", signs=1, amount_cents=99)], "awaiting_signature", "another disposition"),
        ([resolved(), resolved(by="m.ortiz")], "awaiting_signature", "disposed of already"),
        ([resolved(signs=1)], "open", "does not wait"),
        ([resolved(amount_cents=None)], "open", "must say the amount"),
        ([resolved(disposition="duplicate", amount_cents=None, duplicate_of=G)], "resolved", ""),
        ([resolved(disposition="duplicate", amount_cents=None, duplicate_of=F)], "open", "no duplicate of itself"),
        ([resolved(disposition="duplicate", amount_cents=None)], "open", "names the other finding"),
        ([resolved(disposition="false_alarm", amount_cents=None, duplicate_of=G)], "open", "names the other finding"),
        ([model.RoundClosed(by="d-7")], "open", "round_closed is no event of a review"),
    ],
)
def test_what_contradicts_the_state_changes_nothing_and_is_kept(said: list[Event], state: str, objection: str) -> None:
    """Whoever can write to the stream by another way changes no finding by it."""
    review = TableReview(STREAM)
    for seq, payload in enumerate(said, 1):
        review.apply(seq, seq, 1, payload, DAY)
    assert review.finding(F).state == state
    if objection:
        (refused,) = review.refused
        assert objection in refused.objection
        assert refused.seq == len(said)
    else:
        assert review.refused == []


MANY = st.lists(
    st.sampled_from(tuple(OBJECTIONS))
    .flatmap(payloads_of)
    .map(lambda each: msgspec.structs.replace(each, finding_id=F) if getattr(each, "finding_id", None) else each)
    | st.builds(resolved, by=st.sampled_from(["s.lee", "m.ortiz"]), signs=st.none() | st.integers(1, 6)),
    max_size=8,
)


@given(MANY, st.none() | st.integers(1, 3))
def test_the_fold_takes_whatever_comes_and_loses_nothing(said: list[Event], round_no: int | None) -> None:
    """Each event is either refused with a reason or in some history; money never is on one signature."""
    review = TableReview(STREAM)
    for seq, payload in enumerate(said, 1):
        before = review.finding(F).history
        review.apply(seq, seq, round_no, payload, DAY)
        assert review.finding(F).history[: len(before)] == before
    with_history = (review.findings, review.disputes, review.investigations, review.cases)
    kept = {entry.seq for reviews in with_history for each in reviews.values() for entry in each.history}
    kept |= {entry.seq for entry in [*review.custody, *review.videos, *(entry for entry, _ in review.attached)]}
    kept |= {each.entry.seq for each in [*review.surveillance, *review.hand_overs]}
    kept |= {each.accepted.seq for each in review.hand_overs if each.accepted is not None}
    refused = {entry.seq for entry in review.refused}
    assert kept | refused == set(range(1, len(said) + 1))
    assert not kept & refused
    for each in review.findings.values():
        if each.state == "resolved" and each.resolution is not None and each.resolution.disposition in MOVES_MONEY:
            assert each.resolution.second_by not in (None, each.resolution.by)


def test_a_review_read_act_by_act_is_that_read_at_once(desk: Desk, missed: str, log: SqliteLog, results: SqliteResults) -> None:
    acts = [lambda: paid_out(desk, missed), lambda: desk.note(missed, note="x", by="m.ortiz")]
    for number, act in enumerate(acts, start=1):
        act()
        review = desk.review("fu-01")
        assert len(review.findings[missed].history) == number
        assert vars(review) == vars(Desk(log, results).review("fu-01"))


# ------------------------------------------------------------------------------------------------------ investigations

FIGURES = {
    "band_high_bp": 2_141, "band_low_bp": 1_859, "by": "m.ortiz", "drop_cents": 60_000, "first_day": "2026-02-01",
    "investigation": "hold-month-2026-02-01", "last_day": "2026-02-06", "prior_drop_cents": 60_000,
    "prior_first_day": "2026-01-01", "prior_table_days": 6, "prior_win_cents": 12_000, "reason": "hold 30.0 % after 20.0 %",
    "table_days": 6, "triggers": ["outside_band"], "win_cents": 18_000,
}  # fmt: skip


def test_an_investigation_is_opened_once_and_closed_once(desk: Desk) -> None:
    opened = desk.open_investigation("fu-01", **FIGURES)
    assert opened.says == "opened investigation hold-month-2026-02-01: hold 30.0 % after 20.0 %"
    name, close = FIGURES["investigation"], {"outcome": "fault_found", "by": "s.lee", "reason": WHY}
    assert desk.review("fu-01").investigations[name].outcome is None
    with pytest.raises(ReviewRefused, match="there is an investigation hold-month-2026-02-01 already"):
        desk.open_investigation("fu-01", **FIGURES)
    with pytest.raises(ReviewRefused, match="there is no investigation other"):
        desk.close_investigation("fu-01", investigation="other", **close)
    with pytest.raises(ReviewRefused, match="no outcome of an investigation: explained_by_play"):
        desk.close_investigation("fu-01", investigation=name, **(close | {"outcome": "luck"}))
    assert "a fault was found" in desk.close_investigation("fu-01", investigation=name, **close).says
    with pytest.raises(ReviewRefused, match="closed already"):
        desk.close_investigation("fu-01", investigation=name, **close)
    assert len(desk.review("fu-01").investigations[name].history) == 2


@pytest.mark.parametrize(
    "given",
    [{"first_day": "2026-02-07"}, {"prior_first_day": "2026-02-01"}, {"triggers": []}, {"win_cents": 1.5}, {"table_days": -1}],
)
def test_an_investigation_out_of_form_is_not_written(desk: Desk, given: dict[str, object]) -> None:
    with pytest.raises(ReviewRefused):
        desk.open_investigation("fu-01", **(FIGURES | given))
    assert STREAM not in desk.log.streams()


def test_every_outcome_of_an_investigation_has_words() -> None:
    fields = {field.name: field.type for field in msgspec.structs.fields(model.InvestigationClosed)}
    assert set(fields["outcome"].__args__) == set(INVESTIGATION_OUTCOMES)
