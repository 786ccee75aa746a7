"""Sums over a fleet are the same from raw logs and from the program's Parquet, by each engine."""

import math
import os
import subprocess

import binlog
import numpy
import pytest

duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")

PROGRAM, SIMULATOR = os.environ.get("BINLOG_PROGRAM"), os.environ.get("BINLOG_SIMULATOR")
pytestmark = pytest.mark.skipif(not PROGRAM or not SIMULATOR, reason="needs BINLOG_PROGRAM and BINLOG_SIMULATOR")

COLUMNS = [("ATT", "Roll"), ("ATT", "TimeUS"), ("IMU", "GyrX"), ("BAT", "Volt"), ("MODE", "Mode")]


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    """Logs of five vehicles, and the data set of them."""
    folder = tmp_path_factory.mktemp("fleet")
    run = lambda *command: subprocess.run(list(map(str, command)), check=True, capture_output=True)  # noqa: E731
    run(SIMULATOR, "--seconds", 5, "--vehicles", 5, "--logs", folder / "logs")
    run(PROGRAM, "export", folder / "logs", "--format", "parquet", "-o", folder / "data")
    return folder / "logs", folder / "data"


@pytest.mark.parametrize("name, label", COLUMNS)
def test_a_sum_is_the_same_from_raw_logs_and_from_parquet(fleet, name, label):
    logs, data = fleet
    paths = sorted(logs.rglob("*.BIN"))
    assert len(paths) == 5
    wanted = sum(float(numpy.asarray(binlog.open(path)[name][label], dtype=float).sum()) for path in paths)
    raw = binlog.fleet(logs, name, columns=[label])
    files = f"{data}/{name}/*.parquet"
    sums = {
        "the fleet by pyarrow": sum(sum(batch[label].to_pylist()) for batch in pyarrow.table(raw).to_batches()),
        "the fleet by DuckDB": duckdb.sql(f"SELECT sum({label}::DOUBLE) FROM raw").fetchall()[0][0],
        "the fleet by polars": polars.DataFrame(raw)[label].cast(polars.Float64).sum(),
        "Parquet by DuckDB": duckdb.sql(
            f"SELECT sum({label}::DOUBLE) FROM read_parquet('{files}', union_by_name = true)"
        ).fetchall()[0][0],
        "Parquet by polars": polars.read_parquet(files)[label].cast(polars.Float64).sum(),
    }
    for engine, total in sums.items():
        assert math.isclose(total, wanted, rel_tol=1e-12, abs_tol=1e-9), (engine, total, wanted)
