"""A card number that is put into any field of any form of input is found in no file, log, answer or message afterward."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.review.desk import review_event
from events.kafka.client import TopicPartition
from events.sqlite.log import SqliteLog
from events.vocabulary.card_numbers import PLACEHOLDER, without_card_numbers
from events.vocabulary.model import REGISTRY, FindingNoted
from intake.appending import LineAppender
from intake.devices import DeviceWatch, add_device
from intake.gateway import cloud_events
from intake.gateway.contract import device_events
from intake.gateway.messages import answers, lines_of, read_body
from intake.gateway.raw_topic import RawTopic
from intake.gateway.telemetry import Telemetry
from intake.lines import line_of
from intake.patrons import Keyring, with_tokens
from intake.profiles.profile import Profile
from intake.profiles.registered_profiles import Profiles
from rack.cli import main
from tests.contract.drafts import TABLE, Drafts
from tests.golden.events.make import payload_of

NUMBER = "4711081547110"
WRITTEN = f"card:{NUMBER}"
PROFILES = Path(__file__).resolve().parents[2] / "docs/profiles"
AT = "2026-11-23T08:00:00Z"
BARE = """\
form = "discard-rack device profile 1"
name = "Bare numbers"
kind = "k"

[envelope]
stream = { from = "t", prefix = "table/" }
source = { is = "table-07" }
source_seq = { from = "n", as = "integer" }
occurred_at = { from = "at", as = "seconds" }
round_no = { from = "r", as = "integer", absent_none = true }

[names.place]
A = 1

[[message]]
kind = "in"

[[message.event]]
type = "patron_seated"
each = "who.list"

[message.event.payload]
patron = { from = "item.p", prefix = "card:" }
seat = { from = "item.place", names = "place" }
"""
SEATED = {
    "k": "in", "t": "fu-07", "n": 1, "at": "1773500000", "r": 1,
    "who": {"list": [{"p": NUMBER, "place": "A"}, {"p": int(NUMBER), "place": "A"}]},
}  # fmt: skip
TRANSCRIPT = """\
table t-1
day 2026-03-01
rules pa-688a ace_high_bonus=1
deck d1 received jokers=2 back=red
round 1
seated seat=3 p-3
wager seat=3 bettor=p-3 base 25.00
deal dealer=Jk Kd Jc 9s 8h 4d 3c seat3=As Qd Th 9h 7c 5s 2d
bar p-9 drunk
take seat=3 base 25.00
close
"""


@pytest.fixture
def keyring(tmp_path: Path) -> Iterator[Keyring]:
    with Keyring.new(tmp_path / "patrons.keyring") as keyring:
        yield keyring


def spoiled(value: Any, by: Any = WRITTEN) -> Iterator[Any]:
    """Yield a value once for each of its fields, elements and names, with the number in its place."""
    yield by
    if isinstance(value, dict):
        for name, each in value.items():
            yield {**value, WRITTEN: each}
            for changed in spoiled(each, by):
                yield {**value, name: changed}
    elif isinstance(value, list):
        for at, each in enumerate(value):
            for changed in spoiled(each, by):
                yield [*value[:at], changed, *value[at + 1 :]]


def take_in(folder: Path, bodies: list[bytes], kind: str, keyring: Keyring | None, profile: Profile | None = None) -> str:
    """Hand bodies in as requests; return everything that was answered and told."""
    told: list[str] = []
    telemetry = Telemetry(told.append)
    tokens = partial(with_tokens, keyring=keyring)
    with closing(SqliteLog(folder / "floor.db", create=True, property_id="bellwether")) as log:
        appender = LineAppender(log)
        for body in bodies:
            messages = read_body(body, kind, tokens, profile)
            replies = list(answers(messages, appender.append(lines_of(messages))))
            told += [msgspec.json.encode(each).decode() for each in replies]
            telemetry.request(status=200, device="", peer="", size=len(body), seconds=0.0, answers=replies, reason="")
    return "\n".join(told)


def assert_nowhere(folder: Path, said: str) -> None:
    assert NUMBER not in said, said[max(0, said.index(NUMBER) - 300) : said.index(NUMBER) + 50]
    for file in folder.rglob("*"):
        if file.is_file() and "given" not in file.name:
            data = file.read_bytes()
            at = data.find(NUMBER.encode())
            assert at < 0, f"{file}: {data[max(0, at - 300) : at + 60]!r}"


def reports() -> list[dict[str, Any]]:
    drafts = Drafts()
    events = [REGISTRY[kind] for kind in device_events()]
    return [json.loads(line_of(TABLE, drafts.day()))] + [
        json.loads(line_of(TABLE, drafts(payload_of(cls, empty=False), round_no=7))) for cls in events
    ]


@pytest.mark.slow
def test_own_vocabulary(tmp_path: Path, keyring: Keyring) -> None:
    bodies = [json.dumps(each).encode() for report in reports() for each in spoiled(report)]
    assert_nowhere(tmp_path, take_in(tmp_path, bodies, "application/x-ndjson", keyring))


@pytest.mark.slow
def test_an_array_and_indented_json(tmp_path: Path, keyring: Keyring) -> None:
    several = [each for report in reports()[:6] for each in spoiled(report)]
    bodies = [json.dumps(several).encode(), json.dumps(several, indent=1).encode()]
    bodies += [b"\xef\xbb\xbf" + json.dumps(each, indent=2).encode() for each in several]
    assert_nowhere(tmp_path, take_in(tmp_path, bodies, "application/json", keyring))


def as_cloud_event(report: dict[str, Any]) -> dict[str, Any]:
    return {
        "specversion": "1.0", "id": report["event_id"], "source": report["source"], "subject": report["stream"],
        "type": f"{report['type']}.v{report['version']}", "time": "2026-03-14T14:53:20Z", "roundno": report["round_no"],
        "sourceseq": report["source_seq"], "traceparent": "00-1", "datacontenttype": "application/json",
        "data": report["payload"],
    }  # fmt: skip


@pytest.mark.slow
def test_cloud_events_in_all_modes(tmp_path: Path, keyring: Keyring) -> None:
    events = [each for report in reports()[:12] for each in spoiled(as_cloud_event(report))]
    said = take_in(tmp_path, [json.dumps(events).encode()], cloud_events.BATCH, keyring)
    said += take_in(tmp_path, [json.dumps(each).encode() for each in events], cloud_events.SINGLE, keyring)
    binary = [
        cloud_events.structured([(f"ce-{name}", str(value)) for name, value in each.items() if name != "data"], b"{")
        for each in events
        if isinstance(each, dict)
    ]
    assert_nowhere(tmp_path, said + take_in(tmp_path, binary, cloud_events.SINGLE, keyring))


def test_a_cloud_event_gets_the_token_of_its_time(tmp_path: Path, keyring: Keyring) -> None:
    event = as_cloud_event(json.loads(line_of(TABLE, Drafts().wager())))
    event["data"]["bettor"] = WRITTEN
    day = as_cloud_event(json.loads(line_of(TABLE, Drafts().day())))
    said = take_in(tmp_path, [json.dumps([day | {"id": "f" * 32, "sourceseq": 9}, event]).encode()], cloud_events.BATCH, keyring)
    assert said.count('"status":"stored"') == 2
    token = keyring.token(NUMBER, 1_773_500_000_000_000)
    assert token.encode() in b"".join(file.read_bytes() for file in tmp_path.glob("floor.db*"))


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("sample", sorted(PROFILES.glob("*.jsonl")) + sorted(PROFILES.glob("*.csv")), ids=lambda path: path.name)
def test_the_worked_profiles(tmp_path: Path, keyring: Keyring, sample: Path) -> None:
    profile = Profile(sample.with_suffix(".toml"))
    messages = sample.read_bytes().splitlines()
    if sample.suffix == ".csv":
        rows = [message.decode().split(",") for message in messages]
        bodies = [",".join(each).encode() for row in rows for each in spoiled(row) if isinstance(each, list)]
    else:
        bodies = [json.dumps(each).encode() for message in messages for each in spoiled(json.loads(message))]
    assert_nowhere(tmp_path, take_in(tmp_path, bodies, profile.content_types[0], keyring, profile))


def bare(tmp_path: Path) -> Profile:
    (tmp_path / "bare.toml").write_text(BARE)
    return Profile(tmp_path / "bare.toml")


def test_a_profile_that_marks_bare_numbers(tmp_path: Path, keyring: Keyring) -> None:
    """The numbers are in the message without a mark; only the profile knows what they are."""
    whole = json.dumps(SEATED)
    bodies = [json.dumps(each).encode() for each in spoiled(SEATED, "x")]
    bodies += [whole[:end].encode() for end in range(1, len(whole))]
    bodies += [whole.encode("utf-16"), whole.replace('"p"', '"\\u0070"').encode(), b"\xef\xbb\xbf" + whole.encode()]
    bodies += [json.dumps(SEATED, indent=1).encode(), json.dumps([SEATED, SEATED]).encode()]
    bodies += [
        whole.replace(f'"{NUMBER}"', f"[{NUMBER}]").encode(),
        whole.replace("]", "").encode(),
        whole.replace('"k"', "k").encode(),
    ]
    assert_nowhere(tmp_path, take_in(tmp_path, bodies, "application/json", keyring, bare(tmp_path)))


def test_a_bare_number_is_stored_as_its_token_and_a_refused_message_keeps_it(tmp_path: Path, keyring: Keyring) -> None:
    token = keyring.token(NUMBER, 1_773_500_000_000_000)
    refused = json.loads(json.dumps(SEATED))
    refused["who"]["list"][1]["place"] = f"{WRITTEN}"
    line: Any
    (line,) = bare(tmp_path).read(json.dumps(refused).encode(), "line:1", partial(with_tokens, keyring=keyring))
    assert line.reason == f"item.place is '{token}', which [names.place] does not have"
    assert json.loads(line.data)["who"]["list"] == [{"p": token, "place": "A"}, {"p": token, "place": token}]
    lines: Any = bare(tmp_path).read(json.dumps(SEATED).encode(), "line:1", partial(with_tokens, keyring=keyring))
    assert [line.draft.payload.patron for line in lines] == [token, token]


@given(st.data())
def test_bare_numbers_in_messages_of_any_shape(data: st.DataObject) -> None:
    """Cut, doubled and moved bytes around a number under its name: what is kept never shows it."""
    text = json.dumps(SEATED, indent=data.draw(st.sampled_from((None, 1))))
    begin = data.draw(st.integers(0, text.index(NUMBER) - 7))
    end = data.draw(st.integers(text.index(NUMBER), len(text)))
    junk = data.draw(st.text(alphabet='{}[],:" \\a', max_size=6))
    message = (text[:begin] + junk + text[begin : text.index('"p"')] + text[text.index('"p"') : end]).encode()
    profile = _bare_profile()
    for line in profile.read(message, "line:1", partial(_stand_in, "p-1")):
        assert NUMBER.encode()[: max(4, end - text.index(NUMBER))] not in line.data or end <= text.index(NUMBER) + 4
        assert NUMBER not in getattr(line, "reason", "")


def _stand_in(token: str, data: bytes) -> bytes:
    return without_card_numbers(data, lambda _: token)


def _bare_profile() -> Profile:
    with tempfile.TemporaryDirectory() as folder:
        return bare(Path(folder))


@pytest.mark.slow
def test_the_raw_topic(tmp_path: Path, keyring: Keyring) -> None:
    """With and without a keyring, for known, unknown and foreign devices."""
    bare(tmp_path)
    register = tmp_path / "devices.toml"
    for name, profile in (("table-07", None), ("bare", "bare.toml"), ("other", "bare.toml")):
        add_device(register, name, [name], profile, AT)
    records: list[tuple[bytes, bytes]] = [
        (b"table-07", json.dumps(each).encode()) for report in reports()[:8] for each in spoiled(report)
    ]
    records += [(b"bare", json.dumps(SEATED).encode()[:end]) for end in range(400)]
    records += [(b"other", json.dumps(SEATED).encode()), (b"bare", json.dumps([SEATED]).encode()), (WRITTEN.encode(), b"{}")]
    said: list[str] = []
    with closing(SqliteLog(tmp_path / "floor.db", create=True, property_id="bellwether")) as log:
        for tokens in (partial(with_tokens, keyring=keyring), partial(with_tokens, keyring=None)):
            topic: Any = object.__new__(RawTopic)
            topic._devices, topic._profiles, topic._tokens = DeviceWatch(register), Profiles(tmp_path), tokens
            for offset, (key, value) in enumerate(records):
                message: Any = msgspec.defstruct("Record", ["offset", "key", "value", "headers"])(offset, key, value, [])
                lines = topic._read(TopicPartition("raw", 0), message)
                assert lines
                said += [repr(each.refused) for each in LineAppender(log).append(lines)]
    assert_nowhere(tmp_path, "\n".join(said))


def test_the_office(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = json.loads(line_of("property/main", Drafts().configured()))
    for number, each in enumerate(spoiled(report)):
        (tmp_path / "given.jsonl").write_text(json.dumps(each) + "\n")
        code = main(
            ["ingest", str(tmp_path / "given.jsonl"), "--office", "--log", f"sqlite:{tmp_path}/{number}.db", "--property", "p"]
        )
        assert code
        said = capfd.readouterr()
        assert_nowhere(tmp_path, said.out + said.err)


def test_transcripts(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    given_file = tmp_path / "given.txt"
    words = TRANSCRIPT.replace("\n", " \n ").split(" ")
    for at, word in enumerate(words):
        if not word.strip():
            continue
        for changed in (WRITTEN, f"{word.partition('=')[0]}={WRITTEN}"):
            given_file.write_text(" ".join([*words[:at], changed, *words[at + 1 :]]))
            main(["ingest", str(given_file), "--log", f"sqlite:{tmp_path}/floor.db", "--property", "p"])
            main(["judge", str(given_file)])
    said = capfd.readouterr()
    assert_nowhere(tmp_path, said.out + said.err)


def test_a_note_of_the_desk() -> None:
    noted = review_event(FindingNoted, by="sv-1", finding_id="0" * 32, note=f"he showed {WRITTEN} to the dealer")
    assert isinstance(noted, FindingNoted)
    assert noted.note == f"he showed {PLACEHOLDER} to the dealer"


def test_free_text_that_people_write(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A reason of `rack quarantine redrive`, and the line that comes with it."""
    given_file, address = tmp_path / "given.jsonl", f"sqlite:{tmp_path}/floor.db"
    drafts = Drafts()
    given_file.write_bytes(line_of(TABLE, drafts.day()) + b"\n" + line_of(TABLE, drafts.wager()).replace(b'"p-9"', b'"P 9"'))
    main(["ingest", str(given_file), "--log", address, "--property", "p"])
    corrected = tmp_path / "given.line"
    corrected.write_bytes(line_of(TABLE, drafts.wager()))
    with closing(SqliteLog(tmp_path / "floor.db")) as log:
        (entry,) = log.quarantined()
    redrive = ["quarantine", "redrive", entry.sha256, "--log", address, "--by", "sv-1", "--line", str(corrected)]
    corrected.write_bytes(line_of(TABLE, drafts.wager()).replace(b"p-9", WRITTEN.encode()))
    assert main([*redrive, "--reason", "x"]) == 1
    corrected.write_bytes(line_of(TABLE, drafts.wager()))
    assert main([*redrive, "--reason", f"he showed {WRITTEN}, sv-1"]) == 0
    said = capfd.readouterr()
    assert_nowhere(tmp_path, said.out + said.err)
