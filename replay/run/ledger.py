"""The accounting entry of a table's event: the source of drop, win and hold (D27)."""

import msgspec

from events.vocabulary import model
from events.vocabulary.envelope import ReadEnvelope
from replay.findings import LedgerEntry, LedgerKind
from replay.fold.corrections import Replacements
from replay.fold.phases import LEDGER_EVENTS


def corrected_entry(event: ReadEnvelope[model.Event], replacements: Replacements | None) -> LedgerEntry | None:
    """Return an event's accounting entry, as corrected; a withdrawn event has the amount 0."""
    if replacements is None or event.seq not in replacements:
        return ledger_entry(event) if event.payload.KIND in LEDGER_EVENTS else None
    substitute, first = replacements[event.seq], ledger_entry(event)
    entry = ledger_entry(msgspec.structs.replace(event, payload=substitute[1])) if substitute else None
    if entry is None and first is not None:
        return msgspec.structs.replace(first, amount_cents=0, reference="withdrawn")
    return entry


def ledger_entry(event: ReadEnvelope[model.Event]) -> LedgerEntry | None:
    """Return the accounting entry that an event of a table makes, or None (D27)."""
    match event.payload:
        case model.InventoryCounted(kind=kind, amount_cents=cents):
            return _entry(event, kind, cents, "")
        case model.FillReceived(amount_cents=cents, slip=slip):
            return _entry(event, "fill", cents, slip)
        case model.CreditSent(amount_cents=cents, slip=slip):
            return _entry(event, "credit", cents, slip)
        case model.DropCounted(gaming_day=day, amount_cents=cents, box=box):
            return msgspec.structs.replace(_entry(event, "drop", cents, box), gaming_day=day)
        case model.BuyIn(amount_cents=cents, form=form):
            return _entry(event, "buy_in", cents, form)
        case model.MarkerIssued(amount_cents=cents, document=document):
            return _entry(event, "marker", cents, document)
        case _:
            return None


def _entry(event: ReadEnvelope[model.Event], kind: LedgerKind, cents: int, reference: str) -> LedgerEntry:
    return LedgerEntry(
        stream=event.stream, seq=event.seq, gaming_day=event.gaming_day, kind=kind, amount_cents=cents, reference=reference
    )
