-- grain: stream, round_no, settlement_no
-- renewed by: verdict
-- The settlements of the newest revisions. A seat can have several Envy Bonuses, or Match wagers: the place in the
-- adjudication's list names the row.
SELECT
    a.stream,
    a.round_no,
    s.settlement_no,
    s.seat,
    s.wager,
    s.number,
    s.bettor,
    s.paytable,
    s.staked_cents,
    s.due_cents,
    s.done_cents,
    s.by_slip_cents,
    s.from_meter_cents,
    s.moved,
    s.line,
    s.cite
FROM raw_settlements AS s
INNER JOIN raw_newest AS a USING (load_no)
