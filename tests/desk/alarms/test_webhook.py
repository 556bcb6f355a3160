"""A webhook: what is signed, and that no answer takes longer than its time."""

import base64
import threading
from collections.abc import Callable, Iterator

import pytest

from desk.alarms.webhook import Webhook, signature
from tests.desk.alarms.receiving import SECRET, Behavior, Receiver, answer, drip, hang, receiver

BODY = b'{"key":"k"}'


@pytest.fixture
def there() -> Iterator[Receiver]:
    with receiver() as served:
        yield served


def webhook(there: Receiver, timeout_s: float = 30, *secrets: bytes) -> Webhook:
    return Webhook(there.url, secrets or [SECRET], timeout_s=timeout_s)


def test_the_signature_is_that_of_the_convention() -> None:
    """The example of the reference libraries of Standard Webhooks."""
    secret = base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    made = signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, b'{"test": 2432232314}')
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_is_taken_is_signed_and_bears_its_key(there: Receiver) -> None:
    assert webhook(there).send("k", BODY, 7) == (True, "204", False, 0)
    assert (there.got, there.forged) == ([{"key": "k"}], 0)


@pytest.mark.parametrize("order", [(SECRET, b"old" * 10), (b"new" * 10, SECRET)])
def test_while_a_secret_changes_both_sign(there: Receiver, order: tuple[bytes, ...]) -> None:
    webhook(there, 30, *order).send("k", BODY, 7)
    assert (len(there.got), there.forged) == (1, 0)


def test_another_secret_is_found_out(there: Receiver) -> None:
    webhook(there, 30, b"x" * 32).send("k", BODY, 7)
    assert (len(there.got), there.forged) == (0, 1)


@pytest.mark.parametrize("status", [400, 401, 404, 410, 500, 503])
def test_what_is_answered_otherwise_is_not_taken(there: Receiver, status: int) -> None:
    there.behavior = answer(status)
    assert webhook(there).send("k", BODY, 7) == (False, str(status), False, 0)


def test_a_redirect_is_not_followed(there: Receiver) -> None:
    there.behavior = answer(307, Location=there.url)
    taken, said, _, _ = webhook(there).send("k", BODY, 7)
    assert (taken, said) == (False, "307: redirects are not followed; name the address itself")
    assert len(there.got) == 1


@pytest.mark.parametrize(("asked", "wait_s"), [("120", 120), ("soon", 0), ("-1", 0), ("99999999", 0)])
def test_a_receiver_may_ask_to_wait(there: Receiver, asked: str, wait_s: int) -> None:
    there.behavior = answer(429, Retry_After=asked)
    assert webhook(there).send("k", BODY, 7).wait_s == wait_s


@pytest.mark.parametrize("slow", [hang, drip])
def test_an_answer_that_does_not_end_is_cut(there: Receiver, slow: Callable[[threading.Event], Behavior]) -> None:
    ended = threading.Event()
    there.behavior = slow(ended)
    try:
        assert webhook(there, 1).send("k", BODY, 7) == (False, "no answer within 1 s", True, 0)
    finally:
        ended.set()


@pytest.mark.parametrize(
    "line", [b"\x1b[2J\x1b]0;owned\x07", b"HTTP/1.1 x\x1b[31m", b"\x9b2J", b"HTTP/1.1 500 \x1b[2J", b"x" * 5_000]
)
def test_what_a_receiver_sends_is_a_line_of_plain_text(there: Receiver, line: bytes) -> None:
    """A status line that is not one is in the error of Python's client, as it came."""
    there.behavior = lambda request: request.connection.sendall(line + b"\r\n\r\n") and None
    taken, said, _, _ = webhook(there).send("k", BODY, 7)
    assert not taken
    assert said.isprintable()
    assert len(said) < 300


def test_nobody_there_is_silence() -> None:
    with receiver() as gone:
        url = gone.url
    answer = Webhook(url, [SECRET], timeout_s=30).send("k", BODY, 7)
    assert (answer.taken, answer.silent) == (False, True)
    assert answer.said.startswith("no answer: ")
