"""One floor and one packet for all tests that change neither."""

import pytest

from desk.packet import Packet
from tests.desk.packet.signed_floor import Floor, floor_at, played


@pytest.fixture(scope="session")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    return floor_at(tmp_path_factory.mktemp("floor"), played())


@pytest.fixture(scope="session")
def packet(floor: Floor) -> Packet:
    """The packet of the round in which seat 3 was not paid."""
    return floor.packet(6, 3)
