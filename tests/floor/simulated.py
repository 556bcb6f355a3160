"""Simulated floors for the tests of the wings: each is simulated once, and its drafts are kept as a log stores them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from events.vocabulary.envelope import Draft
from floor.day.gaming_day import Simulation, simulate

DOCS = Path(__file__).parents[2] / "docs"


@cache
def simulated(game: str, seed: int, rounds: int) -> Simulation:
    """A floor of one game."""
    return simulate(seed, rounds, games=(game,))


def stored(simulation: Simulation) -> dict[str, list[Draft]]:
    """The drafts of each stream, messages that were sent twice once."""
    kept: dict[str, dict[str, Draft]] = {}
    for stream, drafts in simulation.groups():
        of_stream = kept.setdefault(stream, {})
        for draft in drafts:
            of_stream.setdefault(draft.event_id, draft)
    return {stream: list(drafts.values()) for stream, drafts in kept.items()}


@cache
def streams(game: str, seed: int, rounds: int) -> dict[str, list[Draft]]:
    """What a floor of one game stores."""
    return stored(simulated(game, seed, rounds))


@cache
def tables(game: str, seed: int, rounds: int) -> dict[str, list[Draft]]:
    """What its tables store."""
    return {stream: drafts for stream, drafts in streams(game, seed, rounds).items() if stream.startswith("table/")}


def documented(*names: str) -> set[str]:
    """The codes in the tables of these pages, which say what shows each fault."""
    found: set[str] = set()
    for name in names:
        text = DOCS.joinpath(name).read_text(encoding="utf-8")
        rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| ")]
        found |= {code.strip() for row in rows for code in row.split(",") if "-" in code and code.strip().isupper()}
    return found
