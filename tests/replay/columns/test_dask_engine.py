"""A cluster says what one process says: with a worker killed in the middle, and never with other software."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from floor.day import gaming_day
from replay.columns import dask_engine
from replay.columns.batch import BatchTally, judged_results
from replay.columns.dask_engine import DaskEngine, NoCluster, OtherSoftware, Tls, packed, rules_digest, unpacked, work
from replay.columns.round_table import RoundTable
from replay.columns.row_groups import Engine, Group, LocalEngine, groups_of
from replay.columns.screening import Screen
from replay.run.engine import engine
from replay.run.stream_worker import Result
from tests.replay.columns.small_groups import in_small_groups
from tests.replay.columns.test_batch import SimulatedLog

pytestmark = [pytest.mark.kernels, pytest.mark.filterwarnings("ignore")]  # DaskEngine's own


@pytest.fixture(scope="module")
def log() -> SimulatedLog:
    return SimulatedLog(gaming_day.simulate(5, 240).groups())


@pytest.fixture(scope="module")
def table(log: SimulatedLog, tmp_path_factory: pytest.TempPathFactory) -> RoundTable:
    """Many small groups: as many tasks."""
    return in_small_groups(log, tmp_path_factory.mktemp("rounds"))


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskEngine]:
    with DaskEngine(workers=2) as made:
        yield made


def results(log: SimulatedLog, table: RoundTable, by: Engine) -> list[Result]:
    return list(judged_results(log, table, by, BatchTally()))


def test_a_cluster_says_what_one_process_says_though_a_worker_is_killed_in_the_middle(
    log: SimulatedLog, table: RoundTable, cluster: DaskEngine
) -> None:
    expected = results(log, table, LocalEngine())
    assert results(log, table, cluster) == expected
    said = judged_results(log, table, cluster, BatchTally())
    found = [next(said)]
    victim = sorted(cluster.client.run(os.getpid).values())[0]
    os.kill(victim, signal.SIGKILL)
    found += said
    assert found == expected


def test_a_worker_of_another_version_is_refused(cluster: DaskEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dask_engine, "engine", lambda: "0.0.9+other")
    with pytest.raises(OtherSoftware, match="bring both to the same version"):
        cluster._shake_hands()


def test_a_task_is_refused_by_other_software_and_with_other_rules(table: RoundTable) -> None:
    (first, *_) = groups_of(table.paths())
    batch, screens = packed(first.read(first.screened_columns)), [Screen(table.rules())]
    with pytest.raises(OtherSoftware, match=r"runs .*, this is 0\.0\.9"):
        work(batch, screens, "0.0.9+other", rules_digest(screens))
    with pytest.raises(OtherSoftware, match="other rules"):
        work(batch, [Screen({})], engine(), rules_digest(screens))
    (said,) = work(batch, screens, engine(), rules_digest(screens))
    assert unpacked(said).equals(screens[0].judge(first.read(first.screened_columns)))


def test_a_refusal_on_the_way_ends_the_batch(
    log: SimulatedLog, table: RoundTable, cluster: DaskEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_engine, "RETRIES", 0)
    monkeypatch.setattr(dask_engine, "rules_digest", lambda screens: "another")
    with pytest.raises(OtherSoftware, match="other rules"):
        results(log, table, cluster)


def test_a_batch_has_the_columns_that_were_asked_for(table: RoundTable) -> None:
    group: Group = next(groups_of(table.paths()))
    batch = group.read(("stream", "round_no"))
    assert (batch.schema.names, len(batch)) == (["stream", "round_no"], 8)


def test_a_scheduler_that_is_not_there() -> None:
    import dask

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(NoCluster, match="cannot be reached"),
    ):
        DaskEngine("tcp://127.0.0.1:9")


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(NoCluster, match="its extra `scale`"):
        DaskEngine()


def test_a_cluster_behind_tls(log: SimulatedLog, table: RoundTable, tmp_path: Path) -> None:
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
        with DaskEngine(address, tls=files(keys, tmp_path / "keys")) as cluster:
            assert results(log, table, cluster) == results(log, table, LocalEngine())
        with (
            config.set({"distributed.comm.timeouts.connect": "2s"}),
            pytest.raises(NoCluster, match="cannot be reached"),
        ):
            DaskEngine(address, tls=files(others, tmp_path / "others"))


def files(keys: Any, folder: Path) -> Tls:
    folder.mkdir()
    paths = []
    for name in ("tls_ca_file", "tls_client_cert", "tls_client_key"):
        (folder / name).write_text(getattr(keys, name))
        paths.append(str(folder / name))
    return Tls(*paths)
