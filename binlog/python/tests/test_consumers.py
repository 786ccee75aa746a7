"""Other packages see the values without a conversion."""

import gc
import os
import pathlib
import threading

import binlog
import pytest

LOGS = [pathlib.Path(path) for path in os.environ.get("BINLOG_TEST_LOGS", "").split(os.pathsep) if path]
numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")


def same(one, other):
    def plain(value):
        return list(value) if isinstance(value, tuple) else value

    return len(one) == len(other) and all(plain(a) == plain(b) or (a != a and b != b) for a, b in zip(one, other))


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_each_package_has_the_values_of_each_column(path):
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    for name, table in binlog.open(path).items():
        values = table.to_dict()
        by_arrow = pyarrow.table(table)
        by_arrow.validate(full=True)
        by_polars = polars.DataFrame(table)
        by_pandas = pandas.DataFrame(table.to_dict())
        records = table
        by_duckdb = dict(zip(table.columns, zip(*duckdb.sql("SELECT * FROM records").fetchall())))
        for label, column in table.items():
            assert same(values[label], list(column))
            assert same(values[label], by_arrow[label].to_pylist()), (name, label)
            assert same(values[label], by_polars[label].to_list()), (name, label)
            assert same(values[label], pyarrow.array(column).to_pylist()), (name, label)
            assert same(values[label], by_pandas[label].tolist()), (name, label)
            assert same(values[label], by_duckdb[label]), (name, label)
            if hasattr(column, "__array_interface__"):
                array = numpy.asarray(column)
                assert not array.flags.writeable and same(values[label], array.tolist()), (name, label)


@pytest.mark.parametrize("path", LOGS[:1], ids=lambda path: path.name)
def test_values_outlive_the_log(path):
    log = binlog.open(path)
    name = next(iter(log))
    array, table = numpy.asarray(log[name][log[name].columns[0]]), pyarrow.table(log[name])
    before = array.tolist(), table.to_pydict()
    del log
    gc.collect()
    assert (array.tolist(), table.to_pydict()) == before


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_threads_share_a_log(path):
    log, seen = binlog.open(path), []

    def read():
        seen.append({name: table.to_dict() for name, table in log.items()})

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8 and len({repr(values) for values in seen}) == 1
