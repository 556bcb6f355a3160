"""A desk at a property with a table, of whose one round a finding is open."""

import pytest

from desk.review.desk import Desk
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from replay.run.replayer import replay
from tests.desk.people import PEOPLE
from tests.replay.tables import DESK_US, UNPAID, Table, append


@pytest.fixture
def desk(log: SqliteLog, results: SqliteResults) -> Desk:
    office, table = Table("property/main"), Table()
    office.say(
        model.PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="Bellwether", time_zone="America/New_York")
    )
    table.play(1, UNPAID)
    append(log, office, table)
    replay(log, results)
    return Desk(log, results, persons=PEOPLE, clock=lambda: DESK_US)
