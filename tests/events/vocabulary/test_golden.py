"""Golden bytes: what some log already holds is read for ever, and comes out the same."""

from hashlib import sha256

import pytest

from events.vocabulary import codec
from events.vocabulary.model import REGISTRY
from events.vocabulary.upcast import upcast
from tests.golden.events.make import HERE, golden, path_of


@pytest.mark.parametrize(("type_", "version"), sorted(REGISTRY), ids=lambda part: str(part))
def test_golden_bytes_are_read_and_written_again(type_: str, version: int) -> None:
    path = path_of(type_, version)
    assert path.exists(), "run `python -m tests.golden.events.make` and commit what it adds"
    examples = golden(path)
    assert examples
    for example in examples:
        data = example["bytes"].encode()
        assert sha256(data).hexdigest() == example["sha256"]
        envelope = codec.decode(data)
        assert (envelope.type, envelope.version) == (type_, version)
        assert codec.encode(envelope) == data
        upcast(envelope.payload)


def test_every_golden_file_can_be_read() -> None:
    known = {path_of(*key) for key in REGISTRY}
    assert {path for path in HERE.glob("*.json") if path not in known} == set(), "an event was unregistered"
