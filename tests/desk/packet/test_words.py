"""The verdict in one sentence: money only if a finding claims it, and no more certainty than the evidence has."""

import msgspec
import pytest

from desk.packet import Packet
from desk.packet.words import LONGEST, Style, shortened
from events.vocabulary import model
from events.vocabulary.model import PropertyConfigured
from replay.findings import Adjudication, Finding, Settlement, Verdict
from replay.narrative.events import sentence
from replay.narrative.verdicts import RoundVerdict, narrate
from tests.replay.tables import filed

CITE = "58 Pa. Code § 688a.12(b)"


def settled(seat: int, wager: str, due: int | None, done: int | None) -> Settlement:
    return Settlement(
        seat=seat,
        wager=wager,
        number=None,
        bettor="p-1",
        paytable="",
        staked_cents=2500,
        due_cents=due,
        done_cents=done,
        by_slip_cents=0,
        line="win",
        cite=CITE,
    )


@pytest.fixture
def found(packet: Packet) -> Finding:
    return packet.adjudication.findings[0]


def said(
    packet: Packet,
    verdict: Verdict,
    settlements: list[Settlement],
    findings: list[Finding],
    seat: int | None = None,
    undetermined: tuple[str, ...] = (),
) -> str:
    judged: Adjudication = msgspec.structs.replace(
        packet.adjudication, verdict=verdict, settlements=tuple(settlements), findings=tuple(findings), undetermined=undetermined
    )
    return narrate(RoundVerdict.of(judged), seat, "USD").sentence


def test_one_seat_is_short(packet: Packet, found: Finding) -> None:
    short = msgspec.structs.replace(found, code="PAY-UNDER", wager="ace_high_bonus", difference_cents=-10_000)
    settlements = [settled(3, "ace_high_bonus", 20_000, 10_000), settled(1, "base", -1000, -1000)]
    right = f"Seat 3 is owed $100.00: the Ace High Bonus was due a win of $200.00 and got a win of $100.00 ({CITE})."
    assert said(packet, "VARIANCE", settlements, [short]) == right
    assert said(packet, "VARIANCE", settlements, [short], 3) == right
    assert said(packet, "VARIANCE", settlements, [short], 1) == (
        "Every wager at seat 1 was settled as the rules say; what was found is about seat 3."
    )
    assert said(packet, "VARIANCE", settlements, [short], 5) == (
        "Nothing was at stake at seat 5; what was found is about seat 3."
    )


def test_an_envy_bonus_has_no_stake(packet: Packet, found: Finding) -> None:
    over = msgspec.structs.replace(found, code="PAY-ENVY", seat=2, wager="fortune_envy", difference_cents=500)
    envy = msgspec.structs.replace(settled(2, "fortune_envy", 0, 500), staked_cents=0)
    assert said(packet, "VARIANCE", [envy], [over]) == (
        f"Seat 2 was paid $5.00 too much: the Fortune Envy was due nothing and got a win of $5.00 ({CITE})."
    )


def test_money_that_another_reading_would_not_claim(packet: Packet, found: Finding) -> None:
    over = msgspec.structs.replace(
        found, code="PAY-NOT-TAKEN", seat=3, wager="ante", difference_cents=1000, other_reading="D12: it need not lose"
    )
    assert said(packet, "VARIANCE", [settled(3, "ante", -1000, 0)], [over]) == (
        "Seat 3 was paid $10.00 too much: the Ante was due a loss of $10.00 and got nothing beyond its stake "
        f"({CITE}); the finding names another reading of the text."
    )
    short = msgspec.structs.replace(found, code="PAY-UNDER", seat=3, wager="base", difference_cents=-500)
    both = [settled(3, "ante", -1000, 0), settled(3, "base", 2500, 2000)]
    assert said(packet, "VARIANCE", both, [over, short]) == (
        "Seat 3 was paid $10.00 too much (Ante) and is owed $5.00 (Base wager): $5.00 too much in all; the finding names "
        "another reading of the text."
    )


def test_one_is_short_and_another_paid_too_much(packet: Packet, found: Finding) -> None:
    over = msgspec.structs.replace(found, code="PAY-OVER", seat=1, wager="base", difference_cents=1)
    settlements = [settled(3, "base", 2500, 0), settled(1, "base", 2500, 2501)]
    assert said(packet, "VARIANCE", settlements, [found, over]) == (
        "The round's patrons are owed $25.00 (Base wager of seat 3) and were paid $0.01 too much (Base wager of seat 1)."
    )


def test_a_commission_that_no_settlement_shows_is_money_too(packet: Packet, found: Finding) -> None:
    taken = msgspec.structs.replace(
        found, code="PAY-VIG", wager="base", difference_cents=-900, expected="no vigorish", observed="9.00 taken", cite=CITE
    )
    assert said(packet, "VARIANCE", [settled(3, "base", 2500, 2500)], [taken], 3) == (
        f"Seat 3 is owed $9.00: Base wager (PAY-VIG): expected no vigorish, observed $9.00 taken ({CITE})."
    )


def test_a_difference_that_the_evidence_does_not_settle_is_not_claimed(packet: Packet) -> None:
    assert said(packet, "UNDETERMINED", [settled(3, "base", 2500, 0)], [], 3, ("the shoe lost events",)) == (
        "UNDETERMINED because the shoe lost events. Decide by the video, and correct what is on record."
    )


@pytest.mark.parametrize(
    ("verdict", "settlements", "codes", "right"),
    [
        ("UPHELD", [settled(3, "base", 2500, 2500)], [], "Every wager in this round was settled as the rules say."),
        ("UPHELD", [], [], "Nothing was at stake in this round."),
        (
            "UPHELD",
            [settled(3, "base", 2500, None)],
            [],
            "What every wager in this round is due is known, but the record does not say how they were settled.",
        ),
        (
            "UPHELD",
            [settled(3, "base", 2500, 2500), settled(4, "base", 2500, None), settled(4, "ace_high_bonus", 500, None)],
            [],
            "What every wager in this round is due is known, "
            "but the record does not say how the Base wager and Ace High Bonus of seat 4 were settled.",
        ),
        (
            "UPHELD",
            [settled(3, "base", 2500, 2500), settled(3, "ace_high_bonus", 500, None)],
            [],
            "What every wager in this round is due is known, "
            "but the record does not say how the Ace High Bonus of seat 3 was settled.",
        ),
        (
            "VOID",
            [settled(3, "base", 0, 0)],
            [],
            "The round was voided, and every wager in this round was settled as the rules say.",
        ),
        (
            "VARIANCE",
            [settled(3, "base", 2500, 2500)],
            ["DEAL-CUT", "DEAL-CUT", "LOG-CLOCK"],
            "Every wager in this round was settled as the rules say, "
            "but the round was not conducted as the rules say (DEAL-CUT).",
        ),
        (
            "VARIANCE",
            [settled(3, "base", None, 0)],
            ["DEAL-CUT"],
            "What is due in this round is in part undetermined because what is due is not known; "
            "the round was not conducted as the rules say (DEAL-CUT).",
        ),
    ],
)
def test_without_money(
    packet: Packet, found: Finding, verdict: Verdict, settlements: list[Settlement], codes: list[str], right: str
) -> None:
    findings = [msgspec.structs.replace(found, code=code, seat=None, wager=None, difference_cents=None) for code in codes]
    assert said(packet, verdict, settlements, findings) == right


def test_money_and_time_are_the_property_s() -> None:
    style = Style(PropertyConfigured(currency="EUR", gaming_day_cutover="06:00", name="x", time_zone="Europe/Vienna"))
    assert style.signed(-123_456) == "−€1,234.56"
    assert style.time(1_772_400_000_000_000) == "2026-03-01 22:20:00"
    lost = Style(PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="x", time_zone="Moon/Base"))
    assert (lost.zone_name, lost.time(1_772_400_000_000_000)) == ("UTC", "2026-03-01 21:20:00")


def test_an_event_that_goes_on_and_on_is_cut() -> None:
    assert "toml" not in sentence(filed())
    long = sentence(model.IntakeRefused(reason="y" * 400, sha256="0" * 64, size=3))
    assert len(shortened(long)) == LONGEST
    assert shortened(long).endswith("…")
    assert shortened(long[:LONGEST]) == long[:LONGEST]
