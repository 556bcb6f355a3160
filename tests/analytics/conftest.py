"""The warehouse of the sample floor, open for reading."""

from collections.abc import Iterator

import pytest

from analytics.warehouse.warehouse import Warehouse, reading
from tests.dashboards import sample


@pytest.fixture(scope="session")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    with reading(sample.make(tmp_path_factory.mktemp("sample") / "w")) as opened:
        yield opened
