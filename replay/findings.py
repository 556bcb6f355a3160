"""What an adjudication says: findings, settlements, the verdict. Findings are data; their ids are digests of what they say.

Money is integer cents and always from the patron's side: `due_cents` is the patron's net by the rules (a lost $25 wager
is -2500, a push 0, $10 won at 20 to 1 is 20000), `done_cents` the patron's net by what the dealer did, and
`difference_cents` is done minus due: negative means that the patron is short.
"""

from hashlib import sha256
from typing import Final, Literal, TypeVar

import msgspec

from events.errors import UnreadableResult

Verdict = Literal["UPHELD", "VARIANCE", "VOID", "UNDETERMINED"]
Severity = Literal["high", "medium", "low"]
LedgerKind = Literal["opener", "closer", "fill", "credit", "drop", "buy_in", "marker"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One departure from the rules, with the money, the evidence (event numbers of the stream) and the section."""

    id: str
    code: str
    stream: str
    round_no: int | None
    seat: int | None
    wager: str | None
    expected: str
    observed: str
    difference_cents: int | None
    evidence: tuple[int, ...]
    cite: str
    other_reading: str | None
    severity: Severity
    assumed: bool
    rules_digest: str

    def line(self) -> str:
        """The finding in one line: `PAY-UNDER seat=3 wager=ace_high_bonus -100.00`."""
        parts = [self.code]
        if self.seat is not None:
            parts.append(f"seat={self.seat}")
        if self.wager is not None:
            parts.append(f"wager={self.wager}")
        if self.difference_cents:
            sign = "-" if self.difference_cents < 0 else "+"
            parts.append(f"{sign}{abs(self.difference_cents) // 100}.{abs(self.difference_cents) % 100:02d}")
        return " ".join(parts)


NOTHING_SETTLED: Final = "nothing was recorded of how the round was settled"
"""Why a round in which nothing is found is not upheld: wagers were at stake, and no settlement is on record (D860)."""

METER_WAGERS: Final = ("progressive", "mystery")
"""The wagers that a meter pays, or pays a part of."""


class Settlement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One wager at one seat: what was at stake, what is due and what was done (both the patron's net, in cents).

    `due_cents` is None if the evidence does not tell, `done_cents` if nothing was settled yet. `wager` is a wager's
    name, or `fortune_envy` / `progressive_envy` for Envy Bonuses (nothing staked). `line` is the paytable's line or the
    outcome; `paytable` its name as printed, empty for the base wager. `by_slip_cents` were paid by slip, from any source.
    `from_meter_cents` are what a meter paid of it, by slip or in chips; `None` if nothing was paid by slip or by a meter, and in
    verdicts of versions that did not record it. `moved` is false if nothing was done with a wager although the record covers the
    settlement to its end: then it lies with the patron (D245), and is not settled (D691).
    """

    seat: int
    wager: str
    number: int | None
    bettor: str
    paytable: str
    staked_cents: int
    due_cents: int | None
    done_cents: int | None
    by_slip_cents: int
    line: str
    cite: str
    from_meter_cents: int | None = None
    moved: bool = True

    @property
    def meter_cents(self) -> int:
        """The amount that a meter paid; if the verdict does not state it, the amount paid by slip on a meter's wager."""
        if self.from_meter_cents is not None:
            return self.from_meter_cents
        return self.by_slip_cents if self.wager in METER_WAGERS else 0


class Adjudication(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The verdict on one round, whole. `revision` counts from 1; `supersedes` is the digest of the revision before.

    `edition` is that of the chapter by which the round was judged, `edition_digest` the SHA-256 of its amendments; of a first
    edition, which the engine's name covers, both are left out. `adopted` is the number of the event (in `property/main`) by
    which persons put this revision in the place of an earlier engine's.
    """

    stream: str
    round_no: int
    revision: int
    supersedes: str | None
    as_of: dict[str, int]
    engine: str
    rules_digest: str
    submission: str
    game: str
    chapter: str
    gaming_day: str
    shift: str
    dealer: str
    opened_at_us: int
    closed_at_us: int
    first_seq: int
    last_seq: int
    verdict: Verdict
    undetermined: tuple[str, ...]
    findings: tuple[Finding, ...]
    withdrawn: tuple[str, ...]
    settlements: tuple[Settlement, ...]
    edition: int = 1
    edition_digest: str = ""
    adopted: int = 0


class LedgerEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An amount in the table's accounting other than a wager; drop, win and hold are computed from these (D27)."""

    stream: str
    seq: int
    gaming_day: str
    kind: LedgerKind
    amount_cents: int
    reference: str


_Result = TypeVar("_Result")
_encode = msgspec.json.Encoder(order="sorted").encode


def to_bytes(value: Finding | Adjudication | LedgerEntry) -> bytes:
    """Return the canonical JSON of a result; equal conclusions are equal bytes."""
    return _encode(value)


def read_result(kind: str, key: str, data: bytes, type_: type[_Result]) -> _Result:
    """Return a stored result. Raises `UnreadableResult` if the bytes are none."""
    try:
        return msgspec.json.decode(data, type=type_)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UnreadableResult(kind, key, error) from error


def finding_id(
    code: str,
    stream: str,
    round_no: int | None,
    seat: int | None,
    wager: str | None,
    evidence: tuple[int, ...],
    rules_digest: str,
) -> str:
    """Return a digest of the identifying fields of a finding, so that publishing it again changes nothing."""
    identity = _encode([code, stream, round_no, seat, wager, evidence, rules_digest])
    return sha256(b"rack/finding/v1\0" + identity).hexdigest()[:32]


def digest(adjudication: Adjudication) -> str:
    """Return the digest that a later revision uses to name this one."""
    return sha256(to_bytes(adjudication)).hexdigest()


def name(position: int | str) -> str:
    """Return a position's name in findings.

    >>> name(3), name("dealer")
    ('seat 3', 'the dealer')
    """
    return f"seat {position}" if isinstance(position, int) else f"the {position}"


def revision_of(stored: Adjudication, adjudication: Adjudication) -> Adjudication:
    """Return an adjudication as the next revision of the one that is stored."""
    ids = {finding.id for finding in stored.findings} - {finding.id for finding in adjudication.findings}
    return msgspec.structs.replace(
        adjudication, revision=stored.revision + 1, supersedes=digest(stored), withdrawn=tuple(sorted(ids))
    )


def is_same(stored: Adjudication, adjudication: Adjudication) -> bool:
    """Whether a new adjudication has the conclusion of the stored one; time and engine do not matter."""
    neutral = msgspec.structs.replace(
        stored,
        revision=1,
        supersedes=None,
        withdrawn=(),
        as_of=adjudication.as_of,
        engine=adjudication.engine,
        last_seq=adjudication.last_seq,
        adopted=adjudication.adopted,
    )
    return neutral == adjudication
