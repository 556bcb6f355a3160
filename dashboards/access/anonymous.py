"""Rounds and reports without people's names: in a round patrons and staff become `patron-1`, `staff-1` in order of appearance.

Invariant: a name is replaced by the same word everywhere on the page, so that the same person stays recognizable. The hash shown
is that of the recorded event, and the page says so.
"""

import json
import re
from typing import Any, Final

import msgspec
import polars as pl

from analytics.warehouse.round_data import RoundView
from desk.report.content import Report

PATRON_KEYS: Final = frozenset(("bettor", "inspected_by", "patron"))
STAFF_KEYS: Final = frozenset(("by", "dealer", "verified_by", "witnessed_by", "signed_by"))
ROLES: Final = frozenset(("dealer", "player", "floorperson", "device"))
"""Values of a person's field that name only a role; every other value is somebody's id."""
FREE_TEXT_KEYS: Final = frozenset(("name", "note", "override", "persons", "reason", "vouch"))
"""Fields of people's own words, which may name anybody."""
REASONS: Final = frozenset((
    "abandoned", "changed", "damaged", "device_failed", "exposed_card", "exposed_dealer", "exposed_stack",
    "face_up_cards", "floor_decision", "foul", "house_way", "incorrect_count", "late", "lost", "new_dealer", "new_shoe",
    "other", "push", "reshuffle", "stub_count", "surrendered", "table_closed", "uncovered", "void", "wrong_count",
    "wrong_start",
))  # fmt: skip
"""Reasons of the vocabulary's closed lists, which name no one."""
HIDDEN_TEXT: Final = "(text hidden)"
PEOPLE_SOURCES: Final = re.compile(r"(pit|count|filing|observer)-.*", re.DOTALL)
"""The source of what a person entered: its kind, then the person."""


def without_names(view: RoundView) -> RoundView:
    """Return the round with every person's id and all free text replaced, in heading, events and findings."""
    names: dict[str, str] = {}
    dealer = view.round["dealer"]
    if dealer:
        names[dealer] = "dealer-1"
    payloads = [json.loads(payload) for payload in view.events["payload"]]
    for payload in payloads:
        _collect(payload, names)
    replaced = [json.dumps(_replace(payload, names), ensure_ascii=False) for payload in payloads]
    settlements, findings = (
        rows.with_columns(
            pl.Series(column, [names.get(who, who if who in ROLES else None) for who in rows[column]], dtype=pl.String)
            for column in ("dealer", "bettor")
        )
        for rows in (view.settlements, view.findings)
    )
    found = findings.with_columns(
        pl.Series(column, [_in_text(words, names) for words in findings[column]], dtype=pl.String)
        for column in ("expected", "observed")
    )
    return msgspec.structs.replace(
        view,
        round={
            **view.round,
            "dealer": names.get(dealer, dealer),
            "undetermined": [_in_text(why, names) for why in view.round["undetermined"]],
        },
        events=view.events.with_columns(
            pl.Series("payload", replaced, dtype=pl.String),
            pl.Series("source", [PEOPLE_SOURCES.sub(r"\1", source) for source in view.events["source"]], dtype=pl.String),
        ),
        settlements=settlements,
        findings=found,
    )


def report_without_names(report: Report) -> Report:
    """Return a report with every person and all free text replaced, in columns that `figures.toml` marks."""
    tables = [
        msgspec.structs.replace(
            table,
            rows=tuple(
                tuple(
                    column.hidden if column.hidden and value is not None else value
                    for column, value in zip(table.columns, row, strict=True)
                )
                for row in table.rows
            ),
        )
        for table in report.tables
    ]
    return msgspec.structs.replace(report, tables=tuple(tables))


def _collect(value: Any, names: dict[str, str]) -> None:
    if isinstance(value, list):
        for each in value:
            _collect(each, names)
    elif isinstance(value, dict):
        for key, each in value.items():
            if _is_free(key, each):
                if " " in each:
                    names[each] = HIDDEN_TEXT  # also if a finding quotes it
                continue
            kind = "patron" if key in PATRON_KEYS else "staff" if key in STAFF_KEYS else ""
            if kind and isinstance(each, str) and each and each not in ROLES:
                count = sum(name.startswith(kind) for name in names.values())
                names.setdefault(each, f"{kind}-{count + 1}")
            else:
                _collect(each, names)


def _replace(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: HIDDEN_TEXT if _is_free(key, each) else _replace(each, names) for key, each in value.items()}
    if isinstance(value, list):
        return [_replace(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


def _is_free(key: str, value: Any) -> bool:
    return key in FREE_TEXT_KEYS and isinstance(value, str) and value not in REASONS


def _in_text(words: str, names: dict[str, str]) -> str:
    for name, instead in sorted(names.items(), key=lambda pair: -len(pair[0])):
        words = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", instead, words)
    return words
