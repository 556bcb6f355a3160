"""The stored results in force: each round's newest verdict, and findings not withdrawn."""

from collections.abc import Iterable
from typing import Any

import msgspec

from events.log.contract import ResultStore
from replay.findings import Adjudication, Finding, LedgerEntry, read_result


class _Withdrawal(msgspec.Struct):
    withdrawn: Any = False


def current_findings(results: Iterable[tuple[str, bytes]]) -> list[Finding]:
    """Return the findings in force, from the stored findings in order: the last record of each id counts."""
    findings: dict[str, Finding] = {}
    for key, data in results:
        if b'"withdrawn":true' in data and read_result("findings", key, data, _Withdrawal).withdrawn is True:
            findings.pop(key, None)
        else:
            findings[key] = read_result("findings", key, data, Finding)
    return list(findings.values())


def adjudications(results: ResultStore) -> list[Adjudication]:
    """Return the newest revision of every adjudication, in the order of the first."""
    newest = dict(results.results("adjudications"))
    return [read_result("adjudications", key, data, Adjudication) for key, data in newest.items()]


def findings(results: ResultStore) -> list[Finding]:
    """Return the findings in force."""
    return current_findings(results.results("findings"))


def ledger(results: ResultStore) -> list[LedgerEntry]:
    """Return the accounting entries of the tables, the newest revision of each."""
    newest = dict(results.results("ledger"))
    return [read_result("ledger", key, data, LedgerEntry) for key, data in newest.items()]
