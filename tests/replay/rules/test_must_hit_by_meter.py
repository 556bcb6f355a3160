"""A Must-Hit-By meter's own stream: contributions, arming, hits (58 Pa. Code § 645c.3(c), D21)."""

from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

import rulebook
from events.vocabulary import model
from replay.run.replayer import MemoryResults, findings, replay
from rulebook.chapters.chapters import add_chapter, remove_chapter
from tests.replay.tables import MemoryLog, Table

METER = "meter/mystery"
SECRET = sha256(b"1500000:n-1").hexdigest()


def armed(
    reading: int = 1_499_700, low: int = 10_000, high: int = 20_000, rate: int = 200, secret: str | None = None
) -> model.MysteryArmed:
    return model.MysteryArmed(
        meter="mystery", reading_centicents=reading, minimum_cents=low, maximum_cents=high, rate_bp=rate, commitment=secret
    )


def advanced(value: int, seat: int = 3, table: str = "t-1", wager: int = 100) -> model.MeterAdvanced:
    return model.MeterAdvanced(
        table=table, seat=seat, round_no=1, wager_cents=wager, value_centicents=value, reserve_centicents=0
    )


def hit(
    reading: int,
    seat: int = 5,
    after: int = 1_000_000,
    target: int | None = 1_500_000,
    table: str = "t-1",
    nonce: str | None = None,
) -> model.MysteryHit:
    return model.MysteryHit(
        meter="mystery",
        table=table,
        seat=seat,
        round_no=1,
        reading_centicents=reading,
        after_centicents=after,
        target_centicents=target,
        nonce=nonce,
    )


def found(*payloads: model.Event) -> list[str]:
    table = Table(METER)
    for payload in payloads:
        table.say(payload)
    results = MemoryResults()
    replay(MemoryLog([table]), results)
    said = findings(results)
    assert all(each.stream == METER and each.cite.startswith(("58 Pa. Code § 645c.3(c)", "58 Pa. Code § 645x.")) for each in said)
    return [each.line() for each in said]


UP = (advanced(1_499_900, 3), advanced(1_500_100, 5))
TRIGGER, RESET = "MYST-TRIGGER seat=5 wager=mystery", "MYST-RESET seat=5 wager=mystery"


@pytest.mark.parametrize(
    ("events", "lines"),
    [
        ((armed(), *UP, hit(1_500_100)), []),
        ((armed(), *UP, hit(1_500_100), advanced(1_000_200)), []),
        ((armed(), *UP, hit(1_500_100, target=None)), []),
        ((armed(), *UP, hit(1_500_100, target=1_500_100)), [TRIGGER]),  # not above it
        ((armed(), *UP, hit(1_500_100, target=1_499_800)), [TRIGGER]),  # seat 3 was above it already
        ((armed(), *UP, hit(1_500_100, seat=3)), ["MYST-TRIGGER seat=3 wager=mystery"]),
        ((armed(), *UP, hit(1_500_100, seat=3, target=None)), ["MYST-TRIGGER seat=3 wager=mystery"]),
        ((armed(), *UP, hit(1_500_100, table="t-2")), [TRIGGER]),
        ((armed(), *UP, hit(1_500_100, target=2_500_000)), [TRIGGER]),
        ((armed(), *UP, hit(1_500_300)), ["MYST-AMOUNT seat=5 wager=mystery"]),
        ((armed(), *UP, hit(1_500_100, after=1_500_100)), [RESET]),
        ((armed(), *UP, hit(1_500_100, after=1_500_100), advanced(1_500_300)), [RESET]),  # found once
        ((armed(), advanced(1_499_800)), ["MYST-CONTRIBUTION seat=3 wager=mystery"]),
        ((armed(), advanced(1_499_800), advanced(1_500_000)), ["MYST-CONTRIBUTION seat=3 wager=mystery"]),
        ((armed(), advanced(1_500_700, wager=500)), []),
        ((advanced(1_500_000), armed(1_500_000), advanced(1_500_200)), []),
        ((hit(1_500_100),), []),  # nothing else is on record
        ((armed(1_999_800), advanced(2_000_000), advanced(2_000_200)), []),  # 200.00 is not above 200.00
        ((armed(1_999_800), advanced(2_000_200, wager=200), advanced(2_000_400)), ["MYST-TRIGGER seat=3 wager=mystery"]),
        ((armed(1_000_000), advanced(1_000_200)), []),
        ((armed(999_999), advanced(1_000_199)), ["MYST-CONTRIBUTION wager=mystery"]),  # found once
        ((armed(2_000_000), advanced(2_000_200), hit(2_000_200, 3, target=None)), []),
        ((armed(2_000_001), advanced(2_000_201)), ["MYST-CONTRIBUTION wager=mystery"]),
        ((armed(), hit(1_000_000, target=None)), [TRIGGER]),  # 100.00 is above no target
        ((armed(), hit(1_000_001, target=None)), []),
        ((advanced(1_499_900), hit(1_499_900, 3, target=1_499_800)), []),  # never armed: without bounds
    ],
)
def test_645c_3_c_the_stream_of_a_meter(events: tuple[model.Event, ...], lines: list[str]) -> None:
    assert found(*events) == lines


@pytest.mark.parametrize(
    ("low", "high", "rate", "right"),
    [(100, 200, 200, True), (100, 500, 200, True), (100, 500, 300, False), (250, 1000, 300, True), (100, 250, 200, False)],
)
def test_645c_3_c_4_a_meter_is_armed_in_one_of_the_configurations(low: int, high: int, rate: int, right: bool) -> None:
    assert (found(armed(low * 10_000, low * 100, high * 100, rate)) == []) is right


@pytest.mark.parametrize(
    ("target", "nonce", "lines"),
    [
        (1_500_000, "n-1", []),
        (1_500_000, "n-2", ["MYST-COMMITMENT seat=5 wager=mystery"]),
        (1_500_050, "n-1", ["MYST-COMMITMENT seat=5 wager=mystery"]),
        (1_500_000, None, []),
        (None, None, []),
    ],
)
def test_d21_a_target_revealed_is_the_one_committed_to(target: int | None, nonce: str | None, lines: list[str]) -> None:
    assert found(armed(secret=SECRET), *UP, hit(1_500_100, target=target, nonce=nonce)) == lines


def test_d21_a_commitment_is_for_one_target() -> None:
    again = (advanced(1_000_200, 5), hit(1_000_200, target=1_000_100, nonce="x"))
    assert found(armed(secret=SECRET), *UP, hit(1_500_100, nonce="n-1"), *again) == []


def meter_set(paytable: str = "A-1", chapter: str = "pa-645c", value: int = 1_000_000) -> model.MeterSet:
    return model.MeterSet(
        chapter=chapter,
        paytable=paytable,
        seed_cents=10_000,
        rate_bp=200,
        reserve_rate_bp=0,
        value_centicents=value,
        reserve_centicents=0,
        reason="put into service",
    )


def test_a_meter_put_into_service_under_a_configuration_is_a_must_hit_by_meter() -> None:
    assert found(meter_set(), advanced(1_000_200), advanced(1_000_300)) == ["MYST-CONTRIBUTION seat=3 wager=mystery"]
    table = Table("meter/m-1")
    for event in (meter_set("1"), advanced(1_000_300)):
        table.say(event)
    results = MemoryResults()
    replay(MemoryLog([table]), results)
    assert [each.code for each in findings(results)] == ["PAY-METER"]


@pytest.mark.parametrize(("value", "right"), [(999_999, False), (1_000_000, True), (2_000_000, True), (2_000_001, False)])
def test_645c_3_c_4_a_meter_is_put_into_service_within_its_bounds(value: int, right: bool) -> None:
    assert found(meter_set(value=value)) == ([] if right else ["MYST-CONTRIBUTION wager=mystery"])


ADDED = """
jurisdiction = "pa"
chapter = "645x"
edition = 2
effective = 2026-03-01
published = "56 Pa.B. 1"
cite = "56 Pa.B. 1"
[[paytable]]
wager = "mystery"
name = "A-9"
cite = "3(c)(4)"
least_wager = "9"
seed = "90"
maximum = "300"
rate_bp = 70
"""
"""A configuration that comes with an amendment."""


@pytest.mark.parametrize(("effective", "right"), [("2026-03-01", True), ("2026-03-02", False)])
@pytest.mark.parametrize("how", ["armed", "put into service"])
def test_645c_3_c_4_a_meter_has_a_configuration_of_the_edition_of_its_day(effective: str, right: bool, how: str) -> None:
    text = (Path(rulebook.__file__).parents[1] / "games/pai_gow_poker/chapters/pa-645c.toml").read_text()
    add_chapter(text.replace('"645c"', '"645x"', 1), "pa-645x.toml", [ADDED.replace("2026-03-01", effective)])
    serve = msgspec.structs.replace(meter_set("A-9", "pa-645x", 2_999_950), seed_cents=9_000, rate_bp=70)
    try:
        if how == "armed":
            said = found(meter_set(chapter="pa-645x"), armed(reading=1_200_000, low=9_000, high=30_000, rate=70))
            assert said == ([] if right else ["MYST-CONTRIBUTION wager=mystery"])
        else:  # under no configuration that is known it is no Must-Hit-By meter, which is never above its maximum
            said = found(serve, advanced(3_000_020), advanced(3_000_090))
            assert said == (["MYST-TRIGGER seat=3 wager=mystery"] if right else [])
    finally:
        remove_chapter("pa-645x")


def test_a_resumed_replay_says_the_same() -> None:
    """The state of the meter, the commitment too, goes through a snapshot."""
    from replay.run.stream_worker import StreamWorker

    table = Table(METER)
    for event in (armed(secret=SECRET), UP[0]):
        table.say(event)
    worker = StreamWorker(METER, lambda kind, key: None)
    log = MemoryLog([table])
    for record in log.read(METER):
        worker.take(record)
    again = StreamWorker(METER, lambda kind, key: None, worker.snapshot())
    assert again.meter is not None
    assert again.meter.state == (worker.meter.state if worker.meter else None)
    assert again.meter.state.mystery is not None
    assert again.meter.state.mystery.commitment == SECRET
