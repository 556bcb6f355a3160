"""E-mail: what a letter says, and what the mail server's answers come to."""

from collections.abc import Iterator
from email import message_from_bytes, policy

import pytest
from msgspec.structs import replace

from desk.alarms.alarm import AlarmFinding, Message, to_body, trial_message
from desk.alarms.email_sender import Mailbox
from desk.alarms.settings import MailServer as Server
from tests.desk.alarms.receiving import MailServer, mail_server

AT_S = 1_772_399_640
"""2026-03-01 21:14:00 UTC"""


@pytest.fixture
def there() -> Iterator[MailServer]:
    with mail_server() as served:
        yield served


def mailbox(there: MailServer, user: str | None = None) -> Mailbox:
    server = Server(host="127.0.0.1", port=there.port, from_="rack@b.example", security="none", user=user)
    return Mailbox(server, "word", ["a@b.example", "c@b.example"], timeout_s=30)


def message(**fields: object) -> Message:
    trial = trial_message("5e" * 16, None)
    finding = AlarmFinding(
        id="0f" * 16, code="PAY-MISSED", severity="high", seat=3, wager="base", difference_cents=-2_500, section="§ 688a.11(f)"
    )
    alarm = replace(
        trial.alarm,
        says="Winning wager not paid · Seat 3",
        severity="high",
        table="fu-01",
        round=291,
        gaming_day="2026-03-01",
        time_zone="America/New_York",
        closed_at="2026-03-01T16:14:05-05:00",
        findings=(finding,),
    )
    return replace(trial, alarm=alarm, what="raised", **fields)


def test_a_letter_says_what_and_where_and_when(there: MailServer) -> None:
    assert mailbox(there).send("k", to_body(message(link="https://rack.example/queue?finding=0f")), AT_S).taken
    letter = message_from_bytes(there.letters[0], policy=policy.default)
    assert letter["Subject"] == "high: Winning wager not paid · Seat 3 (FU-01, round 291)"
    assert (letter["From"], letter["To"]) == ("rack@b.example", "a@b.example, c@b.example")
    assert letter["Message-ID"] == f"<{'5e' * 16}@b.example>"
    assert letter["Date"] == "Sun, 01 Mar 2026 21:14:00 +0000"
    text = letter.get_content()
    assert "closed 2026-03-01T16:14:05-05:00 (America/New_York)" in text
    assert "- Winning wager not paid · Seat 3 · Base wager (PAY-MISSED, § 688a.11(f))" in text
    assert "https://rack.example/queue?finding=0f" in text


@pytest.mark.parametrize(
    ("what", "basis", "opens"),
    [
        ("raised", "verdict", "The verdict on a round found this incident."),
        ("raised", "advice", "The round is still open. This is advice and no verdict; it can still be corrected."),
        ("changed", "advice", "The round went on and is still open."),
        ("changed", "verdict", "A verdict confirmed or changed this incident."),
        ("withdrawn", "advice", "The advice no longer holds"),
        ("withdrawn", "verdict", "A later verdict withdrew this incident."),
    ],
)
def test_a_letter_begins_with_whether_it_is_advice_or_a_verdict(there: MailServer, what: str, basis: str, opens: str) -> None:
    told = replace(message(), what=what, alarm=replace(message().alarm, basis=basis))
    mailbox(there).send("k", to_body(told), AT_S)
    assert message_from_bytes(there.letters[0], policy=policy.default).get_content().startswith(opens)


@pytest.mark.parametrize(
    ("fields", "begins"),
    [
        ({"what": "withdrawn"}, "Withdrawn: high: "),
        ({"what": "changed"}, "Changed: high: "),
        ({"what": "escalated", "after_min": 10}, "Not acknowledged: high: "),
        ({"what": "test"}, "Test: high: "),
    ],
)
def test_the_subject_says_what_became_of_it(there: MailServer, fields: dict[str, object], begins: str) -> None:
    mailbox(there).send("k", to_body(replace(message(), **fields)), AT_S)
    assert message_from_bytes(there.letters[0], policy=policy.default)["Subject"].startswith(begins)


def test_a_login_is_shown_to_the_server_alone(there: MailServer) -> None:
    assert mailbox(there, "rack").send("k", to_body(message()), AT_S).taken
    assert there.logins == ["\0rack\0word"]
    there.answers["AUTH"] = "535 no"
    said = mailbox(there, "rack").send("k", to_body(message()), AT_S)
    assert (said.taken, said.said) == (False, "the mail server refused user or password (535)")


@pytest.mark.parametrize(
    ("command", "answer", "said"),
    [
        ("MAIL", "451 later", "the mail server answered 451"),
        ("RCPT", "550 nobody", "the mail server refused every address"),
        ("DATA", "552 too much", "the mail server answered 552"),
    ],
)
def test_what_the_server_refuses_is_not_taken(there: MailServer, command: str, answer: str, said: str) -> None:
    there.answers[command] = answer
    outcome = mailbox(there).send("k", to_body(message()), AT_S)
    assert (outcome.taken, outcome.said, outcome.silent) == (False, said, False)


def test_what_it_takes_is_taken_though_it_says_no_good_bye(there: MailServer) -> None:
    there.answers["QUIT"] = "500 stay"
    assert mailbox(there).send("k", to_body(message()), AT_S).taken


def test_nobody_there_is_silence() -> None:
    with mail_server() as gone:
        there = mailbox(gone)
    outcome = there.send("k", to_body(message()), AT_S)
    assert (outcome.taken, outcome.silent) == (False, True)
