"""Compares the findings of a replay with the planted faults. Pure.

A planted fault is *found* if a finding has its code, stream and round, and its seat and wager if the label names them. A *false
alarm* is a finding that no label of its stream and round explains, either by its code or as a consequence (if a round that had to
be void was played on, every wager is settled wrongly).
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol


class ComparableFinding(Protocol):
    """The fields of a finding needed to compare it."""

    @property
    def code(self) -> str:
        """The finding's code."""

    @property
    def stream(self) -> str:
        """The finding's stream."""

    @property
    def round_no(self) -> int | None:
        """The finding's round; None if it has none."""

    @property
    def seat(self) -> int | None:
        """The finding's seat, if any."""

    @property
    def wager(self) -> str | None:
        """The finding's wager, if any."""


class FaultLabel(ComparableFinding, Protocol):
    """The label of a planted fault: the expected finding."""

    @property
    def consequences(self) -> Collection[str]:
        """Codes of findings that follow from the fault in its round."""


@dataclass(frozen=True)
class Comparison:
    """Planted faults and those found (code → count), the missed faults, and the false alarms."""

    planted: dict[str, int]
    found: dict[str, int]
    missed: tuple[FaultLabel, ...]
    false_alarms: tuple[ComparableFinding, ...]

    @property
    def perfect(self) -> bool:
        """Whether every fault was found and nothing else."""
        return not self.missed and not self.false_alarms


def compare(labels: Iterable[FaultLabel], findings: Iterable[ComparableFinding]) -> Comparison:
    """Compare the findings of a replay with the labels of a simulation."""
    findings_at: dict[tuple[str, int | None], list[ComparableFinding]] = defaultdict(list)
    labels_at: dict[tuple[str, int | None], list[FaultLabel]] = defaultdict(list)
    for finding in findings:
        findings_at[finding.stream, finding.round_no].append(finding)
    for label in labels:
        labels_at[label.stream, label.round_no].append(label)
    planted = [label for here in labels_at.values() for label in here]
    missed = [label for place, here in labels_at.items() for label in here if not _is_found(label, findings_at[place])]
    false_alarms = [
        finding for place, here in findings_at.items() for finding in here if not _is_explained(finding, labels_at.get(place, ()))
    ]
    counted = Counter(label.code for label in planted)
    lost = Counter(label.code for label in missed)
    return Comparison(
        planted=dict(sorted(counted.items())),
        found={code: count - lost[code] for code, count in sorted(counted.items())},
        missed=tuple(missed),
        false_alarms=tuple(false_alarms),
    )


def _is_found(label: FaultLabel, findings: Sequence[ComparableFinding]) -> bool:
    return any(
        finding.code == label.code and label.seat in (None, finding.seat) and label.wager in (None, finding.wager)
        for finding in findings
    )


def _is_explained(finding: ComparableFinding, labels: Sequence[FaultLabel]) -> bool:
    return any(finding.code == label.code or finding.code in label.consequences for label in labels)
