"""Memory is released, values outlive their log, and errors in the middle leave nothing in a bad state."""

import gc
import os
import pathlib
import pickle
import threading

import binlog
import numpy
import pytest
from made import FMT, definition

pyarrow = pytest.importorskip("pyarrow")


def resident():
    """The memory of this process in bytes."""
    gc.collect()
    statm = pathlib.Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("the memory of a process is read on Linux only")
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def grows(work, times=1_000):
    """The bytes by which a work that is done often makes the process larger."""
    for _ in range(times // 5):
        work()
    before = resident()
    for _ in range(times):
        work()
    return resident() - before


@pytest.fixture
def path(made, tmp_path):
    """A log of 130 kB, with which a leak of each log, or of each column, is one of 40 MB or more in 1,000 times."""
    path = tmp_path / "demo.bin"
    path.write_bytes(made().records(range(1, 10_000)).bytes)
    return path


SMALL = 4_000_000


@pytest.mark.parametrize("mapped", [False, True])
def test_opening_a_log_often_keeps_no_memory(path, mapped):
    def work():
        log = binlog.open(path, map=mapped)
        assert numpy.asarray(log["DEMO"]["X"])[-1] == 9_999

    assert grows(work) < SMALL


@pytest.mark.parametrize("mapped", [False, True])
def test_columns_of_a_long_table_outlive_it_and_each_other(tmp_path, mapped):
    rows, layout = 200_000, [("head", "V3"), ("TimeUS", "<u8"), ("X", "<f8"), ("Name", "S16"), ("Y", "<i4")]
    records = numpy.zeros(rows, layout)
    records["head"], records["Name"], records["X"] = bytes([0xA3, 0x95, 9]), b"name", numpy.arange(rows) / 7
    records["TimeUS"], records["Y"] = numpy.arange(rows) * 1_000, -numpy.arange(rows)
    path = tmp_path / "long.bin"
    path.write_bytes(FMT + definition(9, records.itemsize, "LONG", "QdNi", "TimeUS,X,Name,Y") + records.tobytes())
    ways = (
        lambda: dict(binlog.open(path, map=mapped)["LONG"]),
        lambda: dict(binlog.open(path, map=mapped).tables()["LONG"]),
        lambda: {label: binlog.open(path, map=mapped)["LONG"][label] for label in ("TimeUS", "X", "Name", "Y")},
        lambda: pickle.loads(pickle.dumps(dict(binlog.open(path, map=mapped)["LONG"]))),
    )

    def work():
        for columns in ways:
            columns = columns()
            assert columns["Name"][-1] == "name"
            arrays = {label: numpy.asarray(columns[label]) for label in ("TimeUS", "X", "Y")}
            arrow = pyarrow.array(columns["X"])
            del columns
            gc.collect()
            for label, array in arrays.items():
                assert (array == records[label]).all() and not array.flags.writeable
            del arrays, array
            assert numpy.array_equal(arrow.to_numpy(), records["X"])

    # Columns have 7 MB, so a piece that stays each time makes 70 MB.
    assert grows(work, times=10) < 20_000_000


def test_capsules_that_nobody_consumes_are_released(path):
    def work():
        table = binlog.open(path)["DEMO"]
        table.__arrow_c_stream__(), table.__arrow_c_schema__()
        table["X"].__arrow_c_array__(), table["X"].__arrow_c_schema__()
        table["X"].__array_interface__

    assert grows(work) < SMALL


def test_streams_that_end_early_are_released(path, tmp_path):
    (tmp_path / "next.bin").write_bytes(path.read_bytes())

    def work():
        fleet = binlog.fleet(tmp_path, "DEMO")
        batches = pyarrow.RecordBatchReader.from_stream(fleet)
        assert batches.read_next_batch().num_rows == 9_999
        fleet.__arrow_c_stream__()

    assert grows(work, 300) < SMALL


def test_records_that_are_left_in_the_middle_are_released(path):
    def work():
        log = binlog.open(path)
        records = log.records("DEMO")
        next(records), next(records)

    assert grows(work) < SMALL


def test_errors_in_the_middle_of_a_stream_are_errors_each_time(path, tmp_path):
    gone = tmp_path / "gone.bin"

    def work():
        gone.write_bytes(path.read_bytes())
        batches = pyarrow.RecordBatchReader.from_stream(binlog.fleet(tmp_path, "DEMO"))
        assert batches.read_next_batch().num_rows == 9_999
        gone.unlink()
        with pytest.raises(OSError, match="gone.bin"):
            batches.read_next_batch()

    assert grows(work, 200) < SMALL


def test_errors_of_names_keep_no_memory(path):
    log = binlog.open(path)

    def work():
        for name in "NONE", "DEMO.Y", "DEMO[1]":
            with pytest.raises(KeyError):
                log[name]

    assert grows(work) < SMALL


@pytest.mark.parametrize("mapped", [False, True])
def test_what_was_taken_from_a_log_outlives_it_and_its_file(path, mapped):
    log = binlog.open(path, map=mapped)
    table, column, records = log["DEMO"], log["DEMO.X"], log.records("DEMO")
    array, reader = numpy.asarray(log["DEMO"]["X"]), pyarrow.RecordBatchReader.from_stream(log["DEMO"])
    part, view = log.slice(1, 2), numpy.asarray(log["DEMO"][["X"]]["X"])[5_000:]
    # A file that is removed stays until it isn't mapped any more.
    path.unlink()
    del log
    gc.collect()
    wanted = list(range(1, 10_000))
    assert list(column) == wanted == array.tolist() == reader.read_all()["X"].to_pylist() == list(table["X"])
    del table, column, reader
    gc.collect()
    assert array.tolist() == wanted and view.tolist() == wanted[5_000:]
    assert [record.X for record in records] == wanted
    assert list(part["DEMO"]["X"]) == list(range(1_000, 2_000))


def test_an_array_cannot_be_written_to(path):
    array = numpy.asarray(binlog.open(path)["DEMO"]["X"])
    with pytest.raises(ValueError):
        array[0] = 1
    with pytest.raises(ValueError):
        array.flags.writeable = True


def test_eight_threads_take_all_things_of_a_fresh_log(path):
    for _ in range(20):
        log, seen, begin = binlog.open(path), [], threading.Barrier(8)

        def work(log=log, seen=seen, begin=begin):
            begin.wait()
            table = log["DEMO"]
            total = int(numpy.asarray(table["X"]).sum())
            of_records = sum(record.X for record in log.records("DEMO"))
            seen.append((total, of_records, len(log.slice(1, 2)["DEMO"]), len(log.damage)))
            seen.append(pyarrow.table(table)["X"].to_pylist())

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(seen) == 16 and len({repr(values) for values in seen}) == 2


def test_threads_read_one_stream_after_the_other(path, tmp_path):
    """A stream belongs to one thread at a time; another one may finish it."""
    (tmp_path / "next.bin").write_bytes(path.read_bytes())
    batches = pyarrow.RecordBatchReader.from_stream(binlog.fleet(tmp_path, "DEMO"))
    rows = [batches.read_next_batch().num_rows]
    thread = threading.Thread(target=lambda: rows.append(batches.read_next_batch().num_rows))
    thread.start()
    thread.join()
    assert rows == [9_999, 9_999]
