"""A cluster stores what one process stores: with a worker killed in the middle, and never with other software."""

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from events.errors import SequenceGap
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from floor.day import gaming_day
from replay.run.replayer import replay
from tests.whatif.workers.test_processes import Doubling, empty
from whatif.workers import cluster
from whatif.workers.cluster import ClusterPool, NoCluster, OtherSoftware, Tls, work_there
from whatif.workers.streams import judge_in_units

pytestmark = [pytest.mark.days, pytest.mark.filterwarnings("ignore")]  # Dask's own


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("log") / "floor.db"
    with closing(SqliteLog(path, property_id="bellwether", create=True)) as log:
        log.append_groups(gaming_day.simulate(5, 240).groups())
    return path


@pytest.fixture(scope="module")
def pool(path: Path) -> Iterator[ClusterPool]:
    with ClusterPool(partial(SqliteLog, path, read_only=True, check_heads=False), workers=2) as made:
        yield made


def said(results: SqliteResults) -> dict[str, list[Any]]:
    return {stream: list(results.stored(stream)) for stream in results.chain_heads()}


@pytest.mark.nightly
def test_a_cluster_stores_what_one_process_stores_though_a_worker_is_killed_in_the_middle(
    path: Path, pool: ClusterPool, tmp_path: Path
) -> None:
    killed: list[int] = []

    def kill(events: int, rounds: int) -> None:
        if not killed:
            killed.append(sorted(pool.client.run(os.getpid).values())[0])
            os.kill(killed[0], signal.SIGKILL)

    with (
        closing(SqliteLog(path, read_only=True)) as log,
        closing(SqliteResults(tmp_path / "one")) as one,
        closing(SqliteResults(tmp_path / "two")) as two,
    ):
        replay(log, one)
        stored = partial(SqliteResults, tmp_path / "two", read_only=True)
        judge_in_units(log, two, pool, stored, progress=kill)
        assert killed
        assert said(two) == said(one) != {}


def test_parts_come_in_order_and_what_is_raised_there_is_raised_here(pool: ClusterPool) -> None:
    running = pool.run(Doubling(), [*range(9), 13], empty())
    assert [next(running) for _ in range(9)] == [2 * part for part in range(9)]
    with pytest.raises(SequenceGap):
        next(running)


def test_a_worker_of_another_version_is_refused(pool: ClusterPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "engine", lambda: "0.0.9+other")
    with pytest.raises(OtherSoftware, match="bring both to the same version"):
        pool._shake_hands()
    with pytest.raises(OtherSoftware, match=r"a worker runs .*, this is 0\.0\.9\+other"):
        list(pool.run(Doubling(), [1], empty()))


def test_a_task_is_refused_by_other_software() -> None:
    with pytest.raises(OtherSoftware, match=r"runs .*, this is 0\.0\.9"):
        work_there(b"", 1, "0.0.9+other")


def test_a_scheduler_that_is_not_there() -> None:
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "200ms"}), pytest.raises(NoCluster, match="cannot be reached"):
        ClusterPool(empty, "tcp://127.0.0.1:9")


def test_a_cluster_behind_tls(tmp_path: Path) -> None:
    """With the files it is reached and says the same; with others it is not."""
    from dask import config
    from distributed import LocalCluster, Security

    keys, others = Security.temporary(), Security.temporary()
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        security=keys,
        protocol="tls://",
        host="127.0.0.1",
        dashboard_address=None,
    ) as own:
        address = own.scheduler_address
        assert address.startswith("tls://")
        with ClusterPool(empty, address, tls=files(keys, tmp_path / "keys")) as pool:
            assert list(pool.run(Doubling(), [1, 2], empty())) == [2, 4]
        with config.set({"distributed.comm.timeouts.connect": "2s"}), pytest.raises(NoCluster, match="cannot be reached"):
            ClusterPool(empty, address, tls=files(others, tmp_path / "others"))


def files(keys: Any, folder: Path) -> Tls:
    folder.mkdir()
    paths = []
    for name in ("tls_ca_file", "tls_client_cert", "tls_client_key"):
        (folder / name).write_text(getattr(keys, name))
        paths.append(str(folder / name))
    return Tls(*paths)
