"""The simulation goes into a log as it is: numbers agree, what was sent twice is dropped."""

from pathlib import Path

from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.codec import decode
from floor.day.gaming_day import simulate


def test_a_log_takes_a_simulation(tmp_path: Path) -> None:
    simulation = simulate(4, 300)
    log = SqliteLog(tmp_path / "floor.db", property_id="simulated", create=True)
    appended = log.append_groups(simulation.groups())
    dropped = sum(seq is None for group in appended for seq in group.seqs)
    assert dropped == sum(label.kind == "duplicate_message" for label in simulation.legitimate)
    stored = {stream: [decode(record.data) for record in log.read(stream)] for stream in log.streams()}
    assert sum(len(events) for events in stored.values()) == simulation.events - dropped
    for stream, events in stored.items():
        for event in events:
            match event.payload:
                case model.ProgressiveAccepted():
                    touched = stored[f"meter/{event.payload.meter}"][event.payload.meter_seq - 1].payload
                    assert isinstance(touched, model.MeterAdvanced)
                    assert (touched.round_no, touched.seat) == (event.round_no, event.payload.seat)
                case model.EventCorrected() if event.payload.replacement is not None:  # else a planted fault
                    assert stored[stream][event.payload.supersedes_seq - 1].event_id == event.payload.supersedes_event_id
    log.close()
