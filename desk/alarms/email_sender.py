"""E-mail: a message as a letter, given to the property's mail server.

No one can ask a mail server whether it has a letter. A process that dies after sending and before recording it sends the letter
twice, with the same `Message-ID`; most mail programs then show one.
"""

import contextlib
import smtplib
import socket
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from email.utils import format_datetime
from typing import Final

import msgspec

from desk.alarms.alarm import Message
from desk.alarms.settings import MailServer
from desk.alarms.webhook import Answer, connected, words_of
from replay.narrative.findings import finding_title
from replay.narrative.names import moment, plural, position_name, table_name, wager_name

SUBJECTS: Final = {
    "raised": "",
    "changed": "Changed: ",
    "withdrawn": "Withdrawn: ",
    "escalated": "Not acknowledged: ",
    "test": "Test: ",
}


class _Smtp(smtplib.SMTP):
    """SMTP over a connection with a time limit."""

    def __init__(self, host: str, stream: socket.socket) -> None:
        super().__init__(local_hostname=socket.gethostname())
        self.sock, self._host, self.file = stream, host, None
        code, said = self.getreply()
        if code != 220:
            raise smtplib.SMTPConnectError(code, said)


class Mailbox:
    """People who get mail through a mail server. Calls may come from any thread."""

    def __init__(self, server: MailServer, password: str | None, to: Sequence[str], *, timeout_s: float) -> None:
        self._server, self._password, self._to, self._timeout_s = server, password, tuple(to), timeout_s
        self._tls = ssl.create_default_context(cafile=server.ca_file) if server.security != "none" else None

    def send(self, key: str, body: bytes, at_s: int) -> Answer:
        """Send a message under its key."""
        letter = letter_of(msgspec.json.decode(body, type=Message), self._server.from_, self._to, at_s)
        server, whole = self._server, self._tls if self._server.security == "tls" else None
        try:
            with contextlib.ExitStack() as resources:
                stream = resources.enter_context(connected(server.host, server.port, whole, self._timeout_s))
                smtp = resources.enter_context(contextlib.closing(_Smtp(server.host, stream)))
                if server.security == "starttls":
                    smtp.starttls(context=self._tls)
                if server.user is not None:
                    smtp.login(server.user, self._password or "")
                refused = smtp.send_message(letter)
                with contextlib.suppress(OSError, smtplib.SMTPException):  # it has the letter
                    smtp.quit()
        except TimeoutError:
            return Answer(False, f"no answer within {self._timeout_s:g} s", silent=True)
        except smtplib.SMTPAuthenticationError as error:
            return Answer(False, f"the mail server refused user or password ({error.smtp_code})", silent=True)
        except smtplib.SMTPResponseException as error:
            return Answer(False, f"the mail server answered {error.smtp_code}")
        except smtplib.SMTPRecipientsRefused:
            return Answer(False, "the mail server refused every address")
        except (OSError, smtplib.SMTPException, ValueError) as error:
            return Answer(False, f"no answer: {words_of(error)}", silent=True)
        return Answer(True, "taken" if not refused else f"taken, but not for {', '.join(sorted(refused))}")


def letter_of(message: Message, sender: str, to: Sequence[str], at_s: int) -> EmailMessage:
    """Return a message as a letter; `at_s` is its date."""
    alarm, letter = message.alarm, EmailMessage()
    place = f"{table_name(alarm.table)}" + ("" if alarm.round is None else f", round {alarm.round:,}")
    letter["From"], letter["To"] = sender, ", ".join(to)
    letter["Subject"] = f"{SUBJECTS[message.what]}{alarm.severity}: {alarm.says} ({place})"
    letter["Date"] = format_datetime(moment(at_s * 1_000_000, None))
    letter["Message-ID"] = f"<{message.key}@{sender.rpartition('@')[2]}>"
    letter["References"] = f"<{alarm.id}@{sender.rpartition('@')[2]}>"
    lines = [_opening(message), "", f"{alarm.says}", f"{place}, gaming day {alarm.gaming_day or 'not known'}"]
    if alarm.closed_at is not None:
        lines.append(f"closed {alarm.closed_at} ({alarm.time_zone})")
    for finding in alarm.findings:
        where = [] if finding.seat is None else [position_name(finding.seat)]
        where += [wager_name(finding.wager)] if finding.wager else []
        lines.append(f"- {' · '.join([finding_title(finding.code), *where])} ({finding.code}, {finding.section})")
    if alarm.patrons:
        lines.append(f"patrons {', '.join(alarm.patrons)}")
    lines += ["", f"alarm {alarm.id}, revision {message.revision}"]
    if message.link is not None:
        lines.append(message.link)
    letter.set_content("\n".join(lines) + "\n")
    return letter


def _opening(message: Message) -> str:
    match message.what:
        case "test":
            return "This is a test. Nothing happened."
        case "raised" if message.alarm.basis == "advice":
            return "The round is still open. This is advice and no verdict; it can still be corrected."
        case "changed" if message.alarm.basis == "advice":
            return "The round went on and is still open. The advice is now as follows; it can still be corrected."
        case "withdrawn" if message.alarm.basis == "advice":
            return "The advice no longer holds: it was corrected, or the verdict did not find it."
        case "changed":
            return "A verdict confirmed or changed this incident. It is now as follows."
        case "withdrawn":
            return "A later verdict withdrew this incident. Nothing of it remains."
        case "escalated":
            return f"No one acknowledged this incident within {plural(message.after_min or 0, 'minute')}."
        case _:
            return "The verdict on a round found this incident."
