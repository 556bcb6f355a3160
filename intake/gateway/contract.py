"""The gateway's contract as documents that tools read: `docs/openapi.yaml` (HTTP), `docs/asyncapi.yaml` (its events).

`python -m intake.gateway.contract` writes them, from the vocabulary. The fields of each event are not repeated: both refer to
`docs/events.schema.json`.
"""

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from events.vocabulary.model import REGISTRY
from events.vocabulary.places import PLACES
from events.vocabulary.schema import portable
from intake.gateway import cloud_events
from intake.gateway.app import BODY_S, MOST_BODY, RETRY_AFTER_S
from intake.gateway.messages import Answer
from intake.lines import JSON_LINES, DecodedLine

OPENAPI: Final = Path("docs/openapi.yaml")
ASYNCAPI: Final = Path("docs/asyncapi.yaml")
VERSION: Final = "1.0.0"

Document = dict[str, Any]

_LINE_REF: Final = "#/components/schemas/{name}"
_SAYS: Final = {
    200: "Everything in the request is durable. One line of JSON for each line sent.",
    400: "The body is no JSON array of CloudEvents. Nothing was taken.",
    401: "No token of a device that is let in. Nothing was taken.",
    403: "The device names a source that is not its own. Nothing was taken.",
    408: f"The body did not come within {BODY_S:.0f} s. Nothing was taken; hand it in again.",
    413: f"The body is larger than {MOST_BODY:,} bytes. Nothing was taken; hand in fewer lines at a time.",
    415: "The content type, encoding or charset is none that is read. Nothing was taken.",
    417: "The Expect header asks for something else than 100-continue. Nothing was taken.",
    422: "A line holds a card number, and the gateway has no keyring. Nothing was taken.",
    429: "As much waits as may wait. Nothing was taken; hand it in again after `Retry-After` seconds.",
    503: "The log cannot be written, or whether it was is not known. Hand it in again after `Retry-After` seconds.",
}
_AGAIN: Final = (408, 429, 503)


def device_events() -> list[tuple[str, int]]:
    """Return type and version of every event that a device may report."""
    return sorted(
        (type_, version) for type_, version in REGISTRY if any("device" in writers for writers in PLACES[type_].values())
    )


def openapi() -> Document:
    """Return the OpenAPI 3.1 description of the gateway."""
    line, cloud_event = {"$ref": "#/components/schemas/Line"}, {"$ref": "#/components/schemas/CloudEvent"}
    described = (
        "One event a line, an array of events, or events one after another over several lines; white space and the order of "
        "fields do not matter. Of a device with a profile, its messages. With the headers of a CloudEvent in binary mode "
        "(`ce-specversion` and the others), the payload alone, as application/json."
    )
    content: Document = {kind: {"schema": line | {"description": described}} for kind in JSON_LINES}
    content[cloud_events.BATCH] = {"schema": {"type": "array", "items": cloud_event}}
    content[cloud_events.SINGLE] = {"schema": cloud_event}
    content["text/csv"] = {"schema": {"type": "string", "description": "Messages of a device whose profile is delimited."}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Discard Rack gateway", "version": VERSION, "description": _text(openapi)},
        "servers": [{"url": "http://127.0.0.1:8600"}],
        "security": [{"device": []}],
        "paths": {
            "/v1/events": {
                "post": {
                    "operationId": "handIn",
                    "summary": "Hand events in",
                    "requestBody": {"required": True, "content": content},
                    "responses": {str(status): _response(status) for status in _SAYS},
                }
            },
            "/healthz": {"get": _plain("isAlive", "Ask whether the process serves", "The process serves.")},
            "/readyz": {
                "get": _plain("isReady", "Ask whether events can be stored", "Events can be stored.", "They cannot, and why.")
            },
            "/metrics": {"get": _plain("metrics", "Read the gateway's counts", "Counts for Prometheus.")},
        },
        "components": {
            "securitySchemes": {"device": {"type": "http", "scheme": "bearer", "description": "A token of `rack devices add`."}},
            "schemas": _schemas(),
        },
    }


def asyncapi() -> Document:
    """Return the AsyncAPI 3.0 description of the events that devices report, over HTTP or through a topic of Kafka."""
    names = [f"{type_}.v{version}" for type_, version in device_events()]
    references = {name: {"$ref": f"#/components/messages/{name}"} for name in names}

    line = _schemas()["Line"]
    del line["oneOf"]  # each message says which

    def operation(channel: str, what: str) -> Document:
        return {"action": "receive", "channel": {"$ref": f"#/channels/{channel}"}, "summary": what}

    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Discard Rack: what devices report", "version": VERSION, "description": _text(asyncapi)},
        "defaultContentType": "application/json",
        "servers": {
            "gateway": {"host": "127.0.0.1:8600", "protocol": "http", "description": "`rack gateway`"},
            "topic": {"host": "127.0.0.1:9092", "protocol": "kafka", "description": "`rack gateway --raw`"},
        },
        "channels": {
            "http": {"address": "/v1/events", "servers": [{"$ref": "#/servers/gateway"}], "messages": references},
            "raw": {
                "address": "{topic}",
                "parameters": {"topic": {"description": "The topic that `--raw` names."}},
                "servers": [{"$ref": "#/servers/topic"}],
                "description": "One event in each record. Where there is a register of devices, the key is the device's name.",
                "messages": references,
            },
        },
        "operations": {
            "handIn": operation("http", "A device hands lines in and is answered when they are durable."),
            "write": operation("raw", "A device writes records; their offsets are kept when they are durable."),
        },
        "components": {"messages": dict(_messages()), "schemas": {"Line": line}},
    }


def _messages() -> Iterator[tuple[str, Document]]:
    for type_, version in device_events():
        line: Document = {"allOf": [{"$ref": "#/components/schemas/Line"}, _of_type(type_, version)]}
        says = " ".join((inspect.getdoc(REGISTRY[type_, version]) or "").split())
        yield f"{type_}.v{version}", {"name": type_, "summary": says, "payload": line}


def _of_type(type_: str, version: int) -> Document:
    payload = {"$ref": f"events.schema.json#/$defs/{type_}.v{version}"}
    return {"properties": {"type": {"const": type_}, "version": {"const": version}, "payload": payload}}


def _schemas() -> Document:
    """Return the schemas of a line, of a CloudEvent and of an answer."""
    _, found = msgspec.json.schema_components([DecodedLine, Answer], ref_template=_LINE_REF)
    line = portable(found["DecodedLine"])
    line["description"] = "An event as a device reports it."
    line["properties"]["payload"] = {"type": "object"}
    line["oneOf"] = [_of_type(type_, version) for type_, version in device_events()]
    types = [f"{type_}.v{version}" for type_, version in device_events()]
    fields = line["properties"]
    cloud_event = {
        "type": "object",
        "description": "A CloudEvent 1.0 that carries an event of the vocabulary.",
        "properties": {
            "specversion": {"const": "1.0"},
            "id": {"type": "string", "description": "The event's id: 32 hex digits, or a UUID."},
            "source": {"type": "string", "description": "The device's name, or a URN that ends with it."},
            "subject": fields["stream"] | {"description": "The stream."},
            "type": {"enum": types},
            "time": {"type": "string", "format": "date-time", "description": "The device's clock, with its zone."},
            "sourceseq": {"type": ["integer", "string"], "description": "The device's own number; as text beyond 32 bits."},
            "roundno": {"type": ["integer", "string", "null"], "description": "The round; left out between rounds."},
            "datacontenttype": {"type": "string", "description": "application/json, in UTF-8."},
            "dataschema": {"type": "string"},
            "data": {"type": "object", "description": "The payload, as in `Line`."},
        },
        "required": ["specversion", "id", "source", "subject", "type", "time", "sourceseq", "data"],
        "additionalProperties": {
            "type": ["string", "integer", "boolean", "null"],
            "description": "Other extensions are read over.",
        },
    }
    return {"Answer": portable(found["Answer"]), "CloudEvent": cloud_event, "Line": line}


def _response(status: int) -> Document:
    if status == 200:
        content: Document = {JSON_LINES[0]: {"schema": {"$ref": "#/components/schemas/Answer"}}}
    else:
        content = {"text/plain": {"schema": {"type": "string", "description": "What is wrong, and what to do."}}}
    response: Document = {"description": _SAYS[status], "content": content}
    if status in _AGAIN:
        response["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "example": RETRY_AFTER_S}}
    return response


def _plain(operation: str, summary: str, yes: str, no: str = "") -> Document:
    responses: Document = {"200": {"description": yes}}
    if no:
        responses["503"] = {"description": no}
    return {"operationId": operation, "summary": summary, "security": [], "responses": responses}


def _text(function: Any) -> str:
    text = (inspect.getdoc(function) or "").removeprefix("Return ")
    return text[0].upper() + text[1:] + " Generated by `python -m intake.gateway.contract`."


def yaml(value: Any, depth: int = 0) -> str:
    """Return a document as YAML: objects and lists in blocks, everything else as in JSON, which is YAML too.

    >>> print(yaml({"a": 1, "b": ["x", {"c": True}]}), end="")
    a: 1
    b:
    - "x"
    - c: true
    """
    pad = "  " * depth
    if isinstance(value, dict) and value:
        lines = []
        for name, each in value.items():
            key = name if name.replace("_", "").isalpha() else json.dumps(name)
            lines.append(f"{pad}{key}:{_inline(each, depth)}")
        return "".join(lines)
    lines = []
    for each in value:
        block = yaml(each, depth + 1) if isinstance(each, dict | list) and each else ""
        lines.append(f"{pad}- {block.lstrip()}" if block else f"{pad}-{_inline(each, depth)}")
    return "".join(lines)


def _inline(value: Any, depth: int) -> str:
    if isinstance(value, dict) and value:
        return "\n" + yaml(value, depth + 1)
    if isinstance(value, list) and value:
        return "\n" + yaml(value, depth)
    return f" {json.dumps(value, ensure_ascii=False)}\n"


def documents() -> dict[Path, str]:
    """Return both files and what they hold."""
    return {OPENAPI: yaml(openapi()), ASYNCAPI: yaml(asyncapi())}


if __name__ == "__main__":
    for path, text in documents().items():
        path.write_text(text, "utf-8")
