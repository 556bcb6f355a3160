"""A round that a person entered: its packet, case, letter and transcript say who recorded it, and claim no device."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from desk.packet import BadPacket, Packet, RoundUnknown, check_packet
from desk.packet.bundle import FORMAT, About, Bundle, decode, encode
from desk.packet.story import CERTIFICATION, tell
from desk.recorded_round import recorded_round
from desk.report.letter import letter, letter_name
from desk.review import cases, full_text
from desk.review.case_folder import CaseFolder, CaseSettings
from desk.review.desk import Desk, ReviewRefused
from events.open import open_log, open_results
from events.vocabulary import model
from replay.run.replayer import replay
from replay.transcript.transcript import judge
from tests.desk.packet.signed_floor import NOW_US, Floor, floor_at
from tests.desk.people import PEOPLE
from tests.replay.observed import Observed
from tests.replay.tables import PAID, UNPAID, Table, rules_text

PLACE = "observed/fu-01"
RECORDED = "Recorded by m.ortiz, from video of cam-4, entered on 2026-03-01 "
SETTINGS = CaseSettings()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    """Five recorded rounds, all right; entries 1 (not paid), 2 (another record of recorded round 2, paid), 3 (of entry 1),
    4 (not paid, and the payment added later)."""
    table = Table()
    for number in range(1, 6):
        table.play(number, PAID)
    entries = Observed(table)
    seq = entries.enter(1, UNPAID)
    same = model.SameRound(first_seq=seq, last_seq=entries.last, round_no=1, stream=PLACE)
    opening = next(n for n, each in enumerate(table.drafts, 1) if each.round_no == 2)
    recorded = model.SameRound(first_seq=opening, last_seq=table.last, round_no=2, stream="table/fu-01")
    entries.enter(2, PAID, same_as=recorded, order_seen=False, played_from_us=None)
    entries.enter(3, UNPAID, same_as=same)
    entries.say(model.EntryConfirmed(by="s.lee"), 1, source="observer-s-lee")
    entries.enter(4, UNPAID, order_seen=False)
    seen = next(each.payload for each in table.drafts if isinstance(each.payload, model.WagerPaid))
    line = model.Replacement(payload=msgspec.to_builtins(seen), round_no=4, type=seen.TYPE, version=seen.VERSION)
    added = model.EntryLineAdded(after_seq=entries.last - 1, by="s.lee", line=line, reason="forgotten")
    entries.say(added, 4, source="observer-s-lee")
    floor = floor_at(tmp_path_factory.mktemp("house"), table, entries)
    with closing(open_log(floor.address)) as log, closing(open_results(floor.address)) as results:
        replay(log, results)
    return floor


@pytest.fixture
def desk(house: Floor) -> Iterator[Desk]:
    with closing(open_log(house.address)) as log, closing(open_results(house.address, read_only=True)) as results:
        yield Desk(log, results, persons=PEOPLE, clock=lambda: NOW_US)


def story(packet: Packet, house: Floor) -> dict[str, Any]:
    checked = check_packet(packet.json, [house.public])
    assert checked.judged is not None
    return tell(checked.bundle, checked.judged)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_verdict_follows_from_the_packet_alone(house: Floor, number: int) -> None:
    packet = house.packet(number, table=PLACE)
    for form in (packet.json, packet.pdf):
        checked = check_packet(form, [house.public])
        assert checked.reproduced
        assert checked.bundle.about.observed
    assert packet.name == f"observed-fu-01-{number}"
    assert (packet.adjudication.verdict == "UPHELD") == (number in (2, 4))
    numbers = [each.round_no for each in decode(packet.json).streams[PLACE].envelopes()]
    assert set(numbers) == ({1, 3} if number == 3 else {number})


def test_it_says_who_recorded_it_and_certifies_no_device(house: Floor) -> None:
    said = story(house.packet(1, table=PLACE), house)
    assert said["title"] == "FU-01 (observed), round 1"
    assert dict(said["facts"])["Record"].startswith(RECORDED)
    assert dict(said["facts"])["Record"].endswith("; confirmed by s.lee")
    assert "devices" not in dict(said["facts"])["Round"]
    assert CERTIFICATION[1] not in said["certification"]
    assert said["certification"][1].startswith(f"No device recorded this round. {RECORDED}")
    assert [row["thing"].split()[0] for row in said["custody"]] == ["Rules", "Record", "Record"]


def test_a_time_that_was_not_seen_is_not_stated(house: Floor) -> None:
    said = story(house.packet(2, table=PLACE), house)
    assert dict(said["facts"])["Round"] == "the time of day is not on record, as its observer states"
    assert said["decision"]["when"].endswith("the time of day is not on record")


def test_a_packet_of_a_seat_leaves_other_patrons_out(house: Floor) -> None:
    with closing(house.log()) as log:
        from desk.packet.make import make_bundle
        from events.open import open_checkpoints

        with closing(open_checkpoints(house.address, log_id=log.log_id, read_only=True)) as store:
            values: dict[str, Any] = {"signer": house.signer, "clock": lambda: NOW_US, "seat": 3, "withhold": True}
            bundle, _ = make_bundle(log, store, PLACE, 2, **values)
    assert check_packet(bundle.encode(), [house.public]).bundle.about.withheld
    seats = {getattr(each.payload, "seat", 3) for name in (PLACE, "table/fu-01") for each in bundle.streams[name].envelopes()}
    assert seats <= {3, None}


def test_another_program_cannot_take_it_for_a_packet_of_the_tables_round(house: Floor) -> None:
    about = decode(house.packet(1, table=PLACE).json).about
    value = msgspec.to_builtins(about)
    assert (value["format"], value["observed"], value["table"]) == ("discard-rack/packet/v3", True, "fu-01")
    for change in ({"format": FORMAT}, {"observed": False}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(value | change, About)
    recorded = house.packet(1)
    assert (recorded.name, b'"observed":' in encode(decode(recorded.json).about)) == ("fu-01-1", False)


def test_the_filing_that_it_is_judged_by_is_in_it(house: Floor) -> None:
    bundle = decode(house.packet(1, table=PLACE).json)
    assert [each.type for each in bundle.streams["table/fu-01"].envelopes()] == ["rules_filed"]
    without: Bundle = msgspec.structs.replace(bundle, streams={PLACE: bundle.streams[PLACE]})
    with pytest.raises(BadPacket):
        check_packet(without.encode(), [house.public])


def test_a_round_that_was_not_entered_has_no_packet(house: Floor) -> None:
    with pytest.raises(RoundUnknown, match="there is no round 9; there are rounds 1 to 4"):
        house.packet(9, table=PLACE)
    with pytest.raises(RoundUnknown, match="it has observed/fu-01"):
        house.packet(1, table="observed/fu-02")


def test_a_case_of_an_entry_is_apart_from_the_tables_rounds(desk: Desk, house: Floor, tmp_path: Path) -> None:
    values: dict[str, Any] = {"by": "m.ortiz", "settings": SETTINGS, "claim": "not paid", "seat": 3}
    (finding,) = [each for each in cases_findings(desk) if each.difference_cents]
    with pytest.raises(ReviewRefused, match="no one disputes"):
        desk.case(finding.id)
    filed = cases.open_case(desk, PLACE, 1, **values)
    assert filed.name == "FU-01-OC1"
    assert cases.case(desk, "fu-01-oc1").table == PLACE
    assert not desk.review("fu-01").disputes
    assert not desk.cases()
    with pytest.raises(ReviewRefused, match=r"still owed \$25\.00"):
        cases.decide(desk, filed.name, outcome="for_patron", by="s.lee", reason="seen")
    paid = {"disposition": "confirmed_paid_patron", "amount_cents": 2_500}
    desk.resolve(finding.id, by="r.haas", reason="paid", **paid)
    desk.sign(finding.id, by="k.may", reason="seen")
    cases.decide(desk, filed.name, outcome="for_patron", by="s.lee", reason="seen")
    decided = cases.case(desk, filed.name)
    written = letter(desk.log, decided, SETTINGS)
    facts = dict(written["facts"])
    assert (facts["Table and seat"], facts["Recorded"]) == ("FU-01, seat 3", "by a person, from the video of the table")
    assert "m.ortiz" not in str(written)
    assert letter_name(decided).startswith("letter-fu-01-oc1-")
    found = full_text.search(full_text.texts(desk, "USD"), "observed cam-4 pay-missed")
    assert [(each.kind, each.place) for each in found] == [("entry", f"FU-01 (observed), round {number}") for number in (1, 3)]
    folder = CaseFolder(tmp_path)
    cases.attach_to_round(desk, folder, PLACE, 1, file="felt.jpg", data=b"x", by="m.ortiz", note="the felt")
    house.checkpoint()
    said = story(house.packet(1, 3, table=PLACE), house)
    assert dict(said["facts"])["Attached"].startswith("felt.jpg (SHA-256 2d711642b726b044")
    assert [each["claim"] for each in said["decision"]["claims"]] == ["not paid"]
    assert not story(house.packet(1, 3), house)["decision"]["claims"]


def cases_findings(desk: Desk) -> list[Any]:
    from desk.review.observed_table import verdict_of

    judged = verdict_of(desk.results, f"{PLACE}#1")
    assert judged is not None
    return list(judged.findings)


@pytest.mark.parametrize("number", [1, 2, 4])
def test_the_transcript_of_an_entry_reads_back_to_the_same_verdict(house: Floor, number: int, tmp_path: Path) -> None:
    with closing(house.log()) as log:
        recorded = recorded_round(log, PLACE, number)
    text = recorded.transcript()
    assert text.startswith("# Recorded by m.ortiz, from video of cam-4, entered on ")
    assert ("unordered" in text, "\nat " in text) == (number in (2, 4), number != 2)
    (again,) = judge(f"rules filed.toml\n{text}", "text", lambda name: rules_text(Observed(Table()).words))
    assert again.conclusion.verdict == recorded.adjudication.verdict
    assert [each.line() for each in again.conclusion.findings] == [each.line() for each in recorded.adjudication.findings]
