"""Other packages see the values without a conversion."""

import gc
import os
import pathlib
import threading

import binlog
import pytest
from made import FMT, definition, record

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


def test_a_redefined_type_has_its_records(tmp_path):
    path = tmp_path / "redefined.bin"
    log = FMT
    for kind, formats, value in (1, "Qh", (7).to_bytes(2, "little")), (2, "Qi", (70_000).to_bytes(4, "little")):
        log += definition(kind, 11 + len(value), "DEMO", formats, "TimeUS,X")
        log += record(kind, (1_000_000 * kind).to_bytes(8, "little") + value)
    path.write_bytes(log)
    log = binlog.open(path)
    assert [(record.time, record.X) for record in log.records("DEMO", "DEMO")] == [(1.0, 7), (2.0, 70_000)]
    with pytest.raises(ValueError, match="redefines DEMO.X"):
        log["DEMO"]


def test_what_isnt_there_is_a_key_error_that_helps(tmp_path):
    path = tmp_path / "empty.bin"
    path.write_bytes(FMT)
    log = binlog.open(path)
    for name, text in ("fmt", "FMT"), ("FMT.name", "Name"), ("FMT[1]", "instances"):
        with pytest.raises(KeyError, match=text):
            log[name]
    with pytest.raises(KeyError):
        log["FMT"][1]
    with pytest.raises(AttributeError, match="FMT has no column `name`"):
        next(log.records("FMT")).name
    with pytest.raises(FileNotFoundError, match="none.bin"):
        binlog.open(tmp_path / "none.bin")
    (tmp_path / "text.bin").write_text("TimeUS,Roll")
    with pytest.raises(OSError, match="text.bin: neither an ArduPilot log"):
        binlog.open(tmp_path / "text.bin")


def test_damage_is_in_the_log_or_an_error(tmp_path):
    path = tmp_path / "damaged.bin"
    path.write_bytes(FMT + b"lost" + b"\xa3")
    assert [(damage.offset, damage.length) for damage in binlog.open(path).damage] in ([(89, 5)], [(89, 4), (93, 1)])
    with pytest.raises(binlog.DamagedLog, match="damaged.bin"):
        binlog.open(path, strict=True)


def test_a_fleet_is_the_union_of_its_logs(tmp_path):
    (tmp_path / "2021").mkdir()
    old = FMT + definition(1, 13, "DEMO", "Qh", "TimeUS,X") + record(1, (5).to_bytes(8, "little") + b"\x07\x00")
    new = FMT + definition(1, 17, "DEMO", "QiH", "TimeUS,X,Y")
    new += record(1, (6).to_bytes(8, "little") + (70_000).to_bytes(4, "little") + b"\x09\x00")
    (tmp_path / "2021" / "a.BIN").write_bytes(old)
    (tmp_path / "b.bin").write_bytes(new)
    (tmp_path / "c.bin").write_bytes(FMT)
    (tmp_path / "empty.bin").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    logs = binlog.fleet(tmp_path, "DEMO")
    assert logs.logs == ["2021/a.BIN", "b.bin", "c.bin"] and logs.columns == ["log_id", "TimeUS", "X", "Y"]
    rows = pyarrow.table(logs).to_pylist()
    assert rows == [
        {"log_id": "2021/a.BIN", "TimeUS": 5, "X": 7, "Y": None},
        {"log_id": "b.bin", "TimeUS": 6, "X": 70_000, "Y": 9},
    ]
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT sum(X), count(Y) FROM logs").fetchall() == [(70_007, 1)]
    assert pyarrow.table(binlog.fleet([tmp_path / "b.bin"], "DEMO", columns=["Y"])).column_names == ["log_id", "Y"]
    with pytest.raises(KeyError, match="no log has a column `Z`"):
        binlog.fleet(tmp_path, "DEMO", columns=["Z"])
    with pytest.raises(KeyError, match="no log has a record of NONE; they have DEMO, FMT"):
        binlog.fleet(tmp_path, "NONE")
    text = FMT + definition(1, 15, "DEMO", "Qn", "TimeUS,X") + record(1, (5).to_bytes(8, "little") + b"text")
    (tmp_path / "d.bin").write_bytes(text)
    with pytest.raises(ValueError, match="DEMO.X has numbers in .*, and texts in d.bin"):
        binlog.fleet(tmp_path, "DEMO")
    # A log that goes while it is read is an error of the stream.
    (tmp_path / "d.bin").unlink()
    logs = binlog.fleet(tmp_path, "DEMO")
    (tmp_path / "b.bin").unlink()
    with pytest.raises(Exception, match="b.bin"):
        pyarrow.table(logs)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_fleet_of_one_log_has_its_values(path):
    for name, table in binlog.open(path).items():
        one = pyarrow.table(binlog.fleet(path, name)).drop_columns("log_id")
        assert all(same(one[label].to_pylist(), values) for label, values in table.to_dict().items()), name
