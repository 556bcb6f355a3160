"""What a packet shows: recorded next to recomputed, the sections in words, what was not judged, custody, reviews."""

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import to_builtins

from desk.packet import check_packet
from desk.packet import verifying_page as page_record
from desk.packet.page import to_html
from desk.packet.story import Story, tell
from desk.packet.words import shortened
from desk.review.desk import Desk
from events.open import open_log
from events.vocabulary import model
from events.vocabulary.codec import decode
from replay.narrative.events import sentence, sentence_of
from replay.run.replayer import MemoryResults
from tests.desk.packet.signed_floor import NOW_US, Floor, floor_at
from tests.desk.people import PEOPLE
from tests.replay.tables import Table

ROUND = """
covers settlement setting start deal
wager   seat=3 base 25.00
wager   seat=3 ace_high_bonus 10.00
dice    2 2 4
total   9
start   seat=1
deal    seat1=Th 9d 7h 6c 4d 3c 2c  seat3=As Ah 7c 7d 5s 4c 2h  dealer=Kh Qd Js 9c 8d 4h 3s
set     dealer high=Kh Js 8d 4h 3s low=Qd 9c
set     seat=3 high=As Ah 5s 4c 2h low=7c 7d
pay     seat=3 base 25.00
take    seat=3 ace_high_bonus 10.00
close
"""


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    table = Table(words="pa-688a ace_high_bonus=1")
    table.say(model.DeckReceived(back_colour="red", deck="deck-7", jokers=1, preshuffled=False))
    table.say(model.DeckInspected(by="d-1", deck="deck-7", verified_by=None))
    table.say(model.DiceReceived(dice_set="dice-2"))
    table.play(1, ROUND)
    return floor_at(tmp_path_factory.mktemp("story"), table)


def shown(floor: Floor, seat: int | None = None) -> Story:
    checked = check_packet(floor.packet(1, seat).json, [floor.public])
    assert checked.judged is not None
    return tell(checked.bundle, checked.judged)


def place(story: Story, name: str) -> Any:
    return next(each for each in story["play"]["positions"] if each["name"] == name)


def test_hands_are_recorded_beside_recomputed(floor: Floor) -> None:
    dealer = place(shown(floor), "Dealer")
    assert dealer["dealt"] == ["Kh", "Qd", "Js", "9c", "8d", "4h", "3s"]
    assert [each["cards"] for each in dealer["recorded"]] == [["Kh", "Js", "8d", "4h", "3s"], ["Qd", "9c"]]
    assert [sorted(each["cards"]) for each in dealer["recomputed"]] == [
        sorted(["Kh", "9c", "8d", "4h", "3s"]),
        sorted(["Qd", "Js"]),
    ]
    patron = place(shown(floor), "Seat 3")
    assert patron["recomputed"] == []
    assert [row[0] for row in patron["settled"]] == ["Base wager", "Ace High Bonus"]


def test_the_start_is_recorded_beside_recomputed(floor: Floor) -> None:
    play = shown(floor)["play"]
    assert play["dice"] == [{"dice": [2, 2, 4], "colours": [], "lie": "flat"}]
    assert play["start"] == [["Count", "9", "8"], ["First card", "Seat 1", "Dealer"]]


def test_a_die_that_was_not_read_leaves_every_start_it_may_count_to(tmp_path: Path) -> None:
    table = Table(words="pa-688a ace_high_bonus=1")
    table.play(1, ROUND.replace("dice    2 2 4", "dice    6 6 ?").replace("total   9", "total   14"))
    play = shown(floor_at(tmp_path, table))["play"]
    positions = "Seat 2 or Seat 1 or Dealer or Seat 6 or Seat 5 or Seat 4"
    assert play["start"] == [["Count", "14", "13 to 18"], ["First card", "Seat 1", positions]]


def test_a_seat_is_marked_and_only_its_sections_are_told_beside_the_findings(floor: Floor) -> None:
    story = shown(floor, 3)
    assert {row["seat"] for row in story["money"] if row["focus"]} == {3}
    assert place(story, "Seat 3")["focus"]
    says = {each["section"]: " ".join(each["says"]) for each in story["sections"]}
    found = {each["section"] for each in story["findings"]}
    assert found <= set(says)
    assert any("house way" in each for each in says.values())
    assert "The dealer's hands are set by the filed house way" in says["58 Pa. Code § 688a.13(h)"]
    assert all(each["found"] == (each["section"] in found) for each in story["sections"])


def test_what_was_not_judged_is_said_with_the_reason(floor: Floor) -> None:
    limits = shown(floor)["limits"]
    (aspects,) = [each for each in limits if each["what"].startswith("What is not on record")]
    assert "shuffle" in aspects["what"]
    assert "setting" not in aspects["what"]
    assert "does not claim to cover" in aspects["why"]


def test_rules_and_custody(floor: Floor) -> None:
    story = shown(floor)
    digest = next(value for name, value in story["rules"]["rows"] if name.startswith("SHA-256"))
    rows = {(row["thing"], row["what"]) for row in story["custody"]}
    assert ("Deck-7", "The table received deck-7: back red, 1 joker") in rows
    assert ("Deck-7", "D-1 inspected deck-7, and no one verified it") in rows
    assert ("Dice-2", "Dice-2 went into the shaker") in rows
    assert any(digest in what for _, what in rows)
    assert 'chapter = "pa-688a"' in story["rules"]["text"]


def test_each_event_is_told_in_the_sentence_that_pages_and_commands_print(floor: Floor) -> None:
    story = shown(floor)
    with closing(open_log(floor.address)) as log:
        recorded = {each.seq: each.payload for each in (decode(record.data) for record in log.read("table/fu-01"))}
    told = {each["seq"]: each["says"] for each in (*story["events"], *story["background"])}
    assert told
    assert told == {seq: shortened(sentence(recorded[seq], "USD")) for seq in told}
    pages = {seq: sentence_of(recorded[seq].TYPE, to_builtins(recorded[seq]), "USD") for seq in told}
    assert told == {seq: shortened(words) for seq, words in pages.items()}


def test_reviews_disputes_and_views_are_in_it(tmp_path: Path) -> None:
    table = Table(words="pa-688a ace_high_bonus=1")
    table.play(1, ROUND)
    floor = floor_at(tmp_path, table)
    with closing(open_log(floor.address)) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: NOW_US)
        desk.viewed("fu-01", 1, what="round", by="m.ortiz", reason="patron asks")
        desk.viewed("fu-01", 2, what="round", by="s.lee", reason="another round")
        desk.open_dispute("fu-01", 1, dispute="d-9", claim="I had aces", by="s.lee", seat=3)
    floor.checkpoint()
    said = shown(floor)["reviews"]
    assert [row["by"] for row in said] == ["m.ortiz", "s.lee"]
    assert "I had aces" in said[1]["says"]


def test_a_clip_is_in_it_with_the_digest_of_its_file(tmp_path: Path) -> None:
    table = Table(words="pa-688a ace_high_bonus=1")
    table.play(1, ROUND)
    floor = floor_at(tmp_path, table)
    clip = {"camera": "cam-4", "starts_us": NOW_US, "ends_us": NOW_US + 30_000_000, "by": "s.lee", "reason": "seat 3"}
    with closing(open_log(floor.address)) as log:
        desk = Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: NOW_US)
        desk.mark_video("fu-01", 1, clock_offset_ms=-700, digest="5e" * 32, **clip)
    floor.checkpoint()
    (row,) = shown(floor)["reviews"]
    assert row["says"].startswith("marked 30 s of video of camera cam-4 from ")
    assert row["says"].endswith(f" UTC by its clock, 0.7 s behind (file with SHA-256 {'5e' * 32}): seat 3")


def test_a_table_without_rules_has_a_packet_that_says_so(tmp_path: Path) -> None:
    table = Table(words=None)
    table.play(1, ROUND.replace("wager   seat=3 ace_high_bonus 10.00\n", "").replace("take    seat=3 ace_high_bonus 10.00\n", ""))
    story = shown(floor_at(tmp_path, table))
    assert story["verdict"] == "UNDETERMINED"
    assert story["sections"] == []
    assert "no rules submission is in force" in story["rules"]["why"]
    assert "no rules submission is in force" in story["sentence"]
    assert (story["money"], story["sections"]) == ([], [])
    assert story["nothing"]["staked"] == "No wager could be settled."
    assert story["nothing"]["cited"] == "None: no rules submission is in force at this table."
    assert "Nothing was at stake" not in to_html(story).decode()


def test_a_seat_without_a_wager_has_no_sections_though_rules_are_in_force(floor: Floor) -> None:
    checked = check_packet(floor.packet(1, 5).json, [floor.public])
    nothing = msgspec.structs.replace(checked.bundle.adjudication, findings=(), settlements=(), verdict="UPHELD")
    assert checked.judged is not None
    story = tell(msgspec.structs.replace(checked.bundle, adjudication=nothing), checked.judged)
    assert story["sections"] == []
    assert story["nothing"]["staked"] == "Nothing was at stake."
    assert story["nothing"]["cited"] == "None: nothing was settled, and nothing was found."


def test_of_a_typed_round_no_device_is_certified(tmp_path: Path, floor: Floor) -> None:
    """Who typed it, from what and when it was seen is not in such a record: the packet must not say that it is."""
    table = Table(words="pa-688a ace_high_bonus=1")
    table.play(1, ROUND)
    table.drafts = [
        msgspec.structs.replace(each, source="transcript-0f0f0f0f0f0f" if each.round_no else each.source) for each in table.drafts
    ]
    typed, recorded = shown(floor_at(tmp_path, table)), shown(floor)
    said, fact = " ".join(typed["certification"]), dict(typed["facts"])["Round"]
    assert "transcript-0f0f0f0f0f0f were typed from a transcript after the round was played, on 2" in said
    assert "does not name who observed it" in said
    assert "by a device" not in said
    assert fact.endswith("as it was typed from a transcript")
    assert "by a device or by a person who had knowledge" in " ".join(recorded["certification"])
    assert dict(recorded["facts"])["Round"].endswith("by the devices' clocks")


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        (None, "its SHA-256 is in SHA256SUMS there; this installation does not know it"),
        ("of this engine", "(SHA-256 c0ffee)"),
        ("of another engine", "this installation does not know it"),
    ],
)
def test_a_packet_names_the_page_that_verifies_it_by_a_digest_that_is_of_the_same_engine(
    recorded: str | None, expected: str, floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_record, "files", lambda package: tmp_path)
    if recorded:
        page_record.record("c0ffee", tmp_path / page_record.RECORD)
    if recorded == "of another engine":
        monkeypatch.setattr(page_record, "engine", lambda: "9.9.9+0123456789abcdef")
    packet = floor.packet(1)
    assert expected in dict(map(tuple, shown(floor)["proof"]))["To verify in a browser"]
    assert expected in packet.html.decode()
