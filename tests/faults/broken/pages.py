"""Pages that are broken on purpose, and the fault of `pages` that finds each of them out."""

import contextlib
import re
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import patch

from dashboards.access import access
from dashboards.access.downloads import Downloads
from dashboards.access.sign_ins import SignIns
from desk.review.persons import Person, Persons
from tests.simulation.world import Build

BUILDS: dict[str, Build] = {}


def build(function: Callable[[], Iterator[None]]) -> Callable[[], Iterator[None]]:
    BUILDS[function.__name__] = contextlib.contextmanager(function)
    return function


@build
def answers_under_any_name() -> Iterator[None]:
    with patch("dashboards.access.hosts.objection", lambda scope, allowed: ""):
        yield


@build
def hands_a_download_to_whoever_knows_its_address() -> Iterator[None]:
    def fetch(self: Downloads, sign_in: str | None, token: str) -> Any:
        return next((files[token] for files in self._of.values() if token in files), None)

    with patch.object(Downloads, "fetch", fetch):
        yield


@build
def believes_every_signed_cookie() -> Iterator[None]:
    with patch.object(SignIns, "holds", lambda self, key, *, touch=False: key is not None):
        yield


@build
def asks_for_no_verified_address() -> Iterator[None]:
    with patch.object(access, "EMAIL", "another claim"):
        yield


@build
def records_no_export_of_a_page() -> Iterator[None]:
    with patch("dashboards.parts.desk.export"):
        yield


@build
def takes_names_as_they_are_typed() -> Iterator[None]:
    def person(self: Persons, spelling: str) -> Person:
        return Person(id=re.sub("[^a-z0-9._@+-]", "-", f"p{spelling.lower()}"), name=spelling)

    with patch.object(Persons, "known", person), patch.object(Persons, "find", person):
        yield


@build
def believes_what_an_address_says() -> Iterator[None]:
    with patch("dashboards.parts.address.fits", lambda name, values: True):
        yield


FOUND_BY = {
    "a page of a foreign name that points at this machine": "answers_under_any_name",
    "a packet fetched by somebody else": "hands_a_download_to_whoever_knows_its_address",
    "a copied login cookie after its sign-in": "believes_every_signed_cookie",
    "a sign-in whose address is not verified": "asks_for_no_verified_address",
    "a list of findings taken away unrecorded or in part": "records_no_export_of_a_page",
    "a second signature by the same person under another name": "takes_names_as_they_are_typed",
    "an address that nobody could mean": "believes_what_an_address_says",
}
"""Fault → a build that it finds out."""
