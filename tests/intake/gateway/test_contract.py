"""The contract as documents: they are what the gateway is now, and they refer to nothing that is not there."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from events.vocabulary.model import REGISTRY
from intake.gateway.contract import ASYNCAPI, OPENAPI, asyncapi, device_events, documents, openapi
from tests.intake.gateway.conftest import Served

ROOT = Path(__file__).resolve().parents[3]
yaml = pytest.importorskip("yaml")


@pytest.mark.parametrize("path", documents(), ids=str)
def test_the_published_document_is_the_present_one(path: Path) -> None:
    assert (ROOT / path).read_text("utf-8") == documents()[path], "run python -m intake.gateway.contract"


@pytest.mark.parametrize(("path", "document"), [(OPENAPI, openapi()), (ASYNCAPI, asyncapi())])
def test_the_yaml_says_what_the_document_says(path: Path, document: dict[str, Any]) -> None:
    assert yaml.safe_load((ROOT / path).read_text("utf-8")) == json.loads(json.dumps(document))


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            if name == "$ref":
                yield each
            else:
                yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


@pytest.mark.parametrize("document", [openapi(), asyncapi()], ids=["openapi", "asyncapi"])
def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    events = json.loads((ROOT / "docs/events.schema.json").read_text("utf-8"))
    for reference in set(references(document)):
        file, _, place = reference.partition("#/")
        assert file in ("", "events.schema.json")
        found: Any = events if file else document
        for step in place.split("/"):
            found = found[step]


def test_every_event_of_devices_and_no_other_is_described() -> None:
    described = set(asyncapi()["components"]["messages"])
    assert described == {f"{type_}.v{version}" for type_, version in device_events()}
    assert ("wager_paid", 1) in device_events()
    assert not {("intake_refused", 1), ("finding_noted", 1), ("key_published", 1), ("property_configured", 1)} & set(
        device_events()
    )
    assert set(device_events()) < set(REGISTRY)


def test_every_address_that_is_described_is_served(gateway: Served) -> None:
    for path, operations in openapi()["paths"].items():
        for method in operations:
            assert gateway.ask(method.upper(), path).status not in (404, 405)


def test_every_operation_has_a_summary() -> None:
    operations = [operation for path in openapi()["paths"].values() for operation in path.values()]
    assert all(operation["summary"] for operation in operations)
