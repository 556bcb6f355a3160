import contextlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from events.log.contract import EventLog
from tests.contract.archive_backend import READERS
from tests.contract.backends import BACKENDS, Backend, Tamper
from tests.contract.drafts import Drafts
from tests.contract.gardens import GARDENS, Garden
from tests.contract.operator import Operator
from tests.contract.sealed import Contents, Honest, build

if find_spec("tests.contract.kafka_backend") is not None:
    import_module("tests.contract.kafka_backend")  # puts itself into BACKENDS

_MARKS = {"kafka": [pytest.mark.kafka]}


def params(backends: Iterable[str]) -> list[Any]:
    """Return the names of backends as parameters of tests."""
    return [pytest.param(name, marks=_MARKS.get(name, [])) for name in backends]


@pytest.fixture(params=params(BACKENDS))
def make_log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Backend]:
    """A backend in an empty folder: `make_log.create()` makes the log."""
    backend = (BACKENDS | READERS)[request.param](tmp_path)
    yield backend
    backend.close()


@pytest.fixture
def log(make_log: Backend) -> EventLog:
    return make_log.create()


@pytest.fixture
def drafts() -> Drafts:
    return Drafts()


@pytest.fixture
def tamper(make_log: Backend) -> Tamper:
    if make_log.tamper is None:
        pytest.skip("what this backend stores cannot be reached from a test")
    return make_log.tamper


@pytest.fixture(scope="session")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Honest:
    return build(tmp_path_factory.mktemp("honest"))


@pytest.fixture
def contents(honest: Honest) -> Contents:
    return honest.contents.copy()


@pytest.fixture(scope="session", params=params(GARDENS))
def garden(request: pytest.FixtureRequest) -> Iterator[Garden]:
    with contextlib.closing(GARDENS[request.param]()) as garden:
        yield garden


@pytest.fixture
def operator(make_log: Backend, tmp_path: Path, drafts: Drafts) -> Operator:
    return Operator(make_log, tmp_path, drafts)
