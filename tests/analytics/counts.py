"""A house that records openings, fills, drops and closes but no wagers: its ledger, made by hand."""

from analytics.warehouse.loading import TableEvent
from replay.findings import LedgerEntry, LedgerKind

DAYS = [f"2026-03-{day:02d}" for day in range(1, 31)]
OPENED, CLOSED, DROP, FILL = 2_000_000, 2_150_000, 900_000, 500_000
WIN = CLOSED + DROP - OPENED - FILL
OF_WAGERS = {
    "handle_cents",
    "payouts_cents",
    "house_win_cents",
    "house_win_percent",
    "by_slip_cents",
    "from_meter_cents",
    "uncounted_house_win_cents",
    "not_from_tray_cents",
    "box_less_buy_ins_cents",
    "tray_difference_cents",
}


def month(table: str, days: list[str] = DAYS, *, box: str = "b-1") -> list[LedgerEntry]:
    counted: tuple[tuple[LedgerKind, int, str], ...] = (
        ("opener", OPENED, ""),
        ("fill", FILL, "slip-{day}"),
        ("closer", CLOSED, ""),
        ("drop", DROP, box),
    )
    return [
        entry(table, 10 * number + place, day, kind, cents, reference.format(day=day))
        for number, day in enumerate(days, 1)
        for place, (kind, cents, reference) in enumerate(counted)
    ]


def entry(table: str, seq: int, day: str, kind: LedgerKind, cents: int, reference: str) -> LedgerEntry:
    return LedgerEntry(stream=f"table/{table}", seq=seq, gaming_day=day, kind=kind, amount_cents=cents, reference=reference)


def opened_for(table: str, game: str, seq: int = 1) -> TableEvent:
    payload = f'{{"game":"{game}","deal_method":"automated_shoe","seats":6,"shuffler":"automated"}}'
    return TableEvent(stream=f"table/{table}", seq=seq, type="table_opened", payload=payload)
