"""Empty and damaged logs, text logs, logs that are being written, and logs beyond 4 GiB."""

import os
import pickle
import threading
import time

import binlog
import numpy
import pytest

BOTH = pytest.mark.parametrize("mapped", [False, True])


@BOTH
def test_an_empty_file_is_an_error_that_says_it(tmp_path, mapped):
    path = tmp_path / "empty.bin"
    path.write_bytes(b"")
    with pytest.raises(OSError, match="empty.bin"):
        binlog.open(path, map=mapped)


@BOTH
def test_a_log_of_definitions_has_no_other_type(tmp_path, made, mapped):
    path = tmp_path / "begun.bin"
    path.write_bytes(made().bytes)
    log = binlog.open(path, map=mapped)
    assert list(log) == ["FMT"] and log.duration == 0 and log.start is None and log.vehicle is None
    assert len(log["DEMO"]) == 0 and log["DEMO"].to_dict() == {"TimeUS": [], "X": []}
    assert numpy.asarray(log["DEMO"]["X"]).shape == (0,) and list(log.records("DEMO")) == []
    assert log.params == {} and log.modes == [] and log.messages == [] and log.damage == []


@BOTH
def test_damaged_logs_have_the_records_around_the_damage(tmp_path, made, mapped):
    whole = made().records(range(1, 2_001)).bytes
    first = len(made().bytes)
    path = tmp_path / "damaged.bin"
    # A record is 15 bytes: the tenth loses its header, some in the middle are overwritten, and the last is cut.
    damaged = bytearray(whole[:-7])
    damaged[first + 9 * 15] = 0
    damaged[first + 500 * 15 + 3 : first + 510 * 15] = bytes(10 * 15 - 3)
    path.write_bytes(damaged)
    log = binlog.open(path, map=mapped)
    values = log["DEMO"]["X"].to_list()
    # The record that is overwritten after its header may be read with what is there.
    known = [value for value in values if value != 0]
    assert known == [*range(1, 10), *range(11, 501), *range(511, 2_000)]
    assert [record.X for record in log.records("DEMO")] == values
    lost = sum(damage.length for damage in log.damage)
    assert lost + 15 * len(values) + first == len(damaged) and all(damage.reason for damage in log.damage)
    with pytest.raises(binlog.DamagedLog, match="damaged.bin"):
        binlog.open(path, map=mapped, strict=True)


@BOTH
def test_any_bytes_are_a_log_or_an_error(tmp_path, made, mapped):
    whole = made().records(range(1, 50)).bytes
    path = tmp_path / "any.bin"
    numbers = numpy.random.default_rng(1)
    for _ in range(300):
        damaged = numpy.frombuffer(whole, dtype=numpy.uint8).copy()
        for _ in range(numbers.integers(1, 20)):
            damaged[numbers.integers(len(damaged))] = numbers.integers(256)
        path.write_bytes(damaged.tobytes()[: numbers.integers(1, len(damaged) + 1)])
        try:
            log = binlog.open(path, map=mapped)
            for _, table in log.items():
                assert all(len(column) == len(table) for column in table.values())
            assert all(record.to_dict() for record in log.records())
        except (OSError, ValueError) as error:
            assert str(error)


@BOTH
def test_a_log_that_grows_is_the_one_that_was_opened(tmp_path, made, mapped):
    whole = made().records(range(1, 3_001)).bytes
    path = tmp_path / "growing.bin"
    # A logger has written half of a record.
    until = len(made().bytes) + 1_000 * 15 + 6
    path.write_bytes(whole[:until])
    log = binlog.open(path, map=mapped)
    with open(path, "ab") as file:
        file.write(whole[until:])
    assert log["DEMO"]["X"].to_list() == list(range(1, 1_001))
    assert [(damage.offset, damage.length) for damage in log.damage] == [(until - 6, 6)]
    again = binlog.open(path, map=mapped)
    assert again["DEMO"]["X"].to_list() == list(range(1, 3_001)) and again.damage == []
    assert len(log["DEMO"]) == 1_000


def test_a_log_that_was_read_is_whole_when_its_file_shrinks(tmp_path, made):
    path = tmp_path / "shrinking.bin"
    path.write_bytes(made().records(range(1, 100_001)).bytes)
    log = binlog.open(path)
    os.truncate(path, 10)
    assert log["DEMO"]["X"].to_list() == list(range(1, 100_001)) and log.damage == []
    assert len(log.slice(1, 2)["DEMO"]) == 1_000


def test_a_fleet_reads_a_log_that_has_shrunk_as_it_is(tmp_path, made):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "shrinking.bin"
    path.write_bytes(made().records(range(1, 1_001)).bytes)
    fleet = binlog.fleet(tmp_path, "DEMO")
    os.truncate(path, len(made().bytes) + 10 * 15)
    assert pyarrow.table(fleet)["X"].to_pylist() == list(range(1, 11))
    os.truncate(path, 0)
    with pytest.raises(Exception, match="shrinking.bin"):
        pyarrow.table(fleet)


@pytest.mark.skipif(os.name == "nt", reason="files are sparse on Windows only if asked for")
def test_records_beyond_4_gib_are_read(tmp_path, made):
    """A hole of 4 GiB takes no room on the disk, and is one gap between records."""
    path = tmp_path / "sparse.bin"
    hole = (1 << 32) + 4096
    before, after = made().records(range(1, 1_001)).bytes, made().records(range(1_001, 2_001)).bytes
    with open(path, "wb") as file:
        file.write(before)
        file.seek(hole, os.SEEK_CUR)
        file.write(after)
    if path.stat().st_blocks * 512 > 1 << 30:
        pytest.skip("the file system has no sparse files")
    begin = time.monotonic()
    log = binlog.open(path, map=True)
    assert log["DEMO"]["X"].to_list() == list(range(1, 2_001))
    assert [(damage.offset, damage.length) for damage in log.damage] == [(len(before), hole)]
    assert [record.X for record in log.records("DEMO")] == list(range(1, 2_001))
    assert log["DEMO"]["TimeUS"].to_list()[-1] == 2_000_000
    assert log.slice(1.5, 1.6)["DEMO"]["X"].to_list() == list(range(1_500, 1_600))
    assert time.monotonic() - begin < 60


@BOTH
def test_text_logs_are_read_as_binary_ones(tmp_path, mapped):
    path = tmp_path / "old.log"
    path.write_text(
        "ArduCopter V3.1\nFMT, 129, 15, DEMO, Qi, TimeUS,X\nDEMO, 1000, 7\nXKF1, 1\nDEMO, 2000, -8\n", encoding="utf-8"
    )
    log = binlog.open(path, map=mapped)
    assert numpy.asarray(log["DEMO"]["X"]).tolist() == [7, -8]
    assert [damage.reason for damage in log.damage] == ["line 4: XKF1: no FMT line before it defines the type"]
    with pytest.raises(binlog.DamagedLog, match="line 4"):
        binlog.open(path, strict=True)


@pytest.fixture
def pipe(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("Windows has no named pipes in folders")
    os.mkfifo(tmp_path / "pipe.bin")
    return tmp_path / "pipe.bin"


def test_a_log_comes_through_a_pipe(made, pipe):
    whole = made().records(range(1, 100_001)).bytes
    writer = threading.Thread(target=pipe.write_bytes, args=(whole,))
    writer.start()
    log = binlog.open(pipe)
    writer.join()
    assert log["DEMO"]["X"].to_list() == list(range(1, 100_001)) and log.damage == []
    for whole_or_part in log, log.slice(1, 2):
        with pytest.raises(TypeError, match="pipe.bin doesn't pickle: .* write it to a file"):
            pickle.dumps(whole_or_part)
    writer = threading.Thread(target=pipe.write_text, args=("no log",))
    writer.start()
    with pytest.raises(OSError, match="pipe.bin: neither an ArduPilot log"):
        binlog.open(pipe)
    writer.join()
    with pytest.raises(OSError, match="without map=True"):
        binlog.open(pipe, map=True)


def test_waiting_for_a_pipe_ends_with_a_signal(pipe, interrupt):
    with interrupt(0.1):
        binlog.open(pipe)
    # One that writes nothing.
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    writer = os.open(pipe, os.O_WRONLY)
    with interrupt(0.1):
        binlog.open(pipe)
    os.close(reader), os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="it has no /dev/zero")
def test_a_device_without_an_end_is_an_error():
    with pytest.raises(OSError, match="/dev/zero: neither an ArduPilot log .* in 67108864 bytes"):
        binlog.open("/dev/zero")


def test_a_fleet_has_files_only(made, pipe):
    (pipe.parent / "a.bin").write_bytes(made().records([1]).bytes)
    assert binlog.fleet(pipe.parent, "DEMO").logs == ["a.bin"]
    with pytest.raises(OSError, match="pipe.bin: a fleet has files only"):
        binlog.fleet([pipe, pipe.parent / "a.bin"], "DEMO")
    skipped = binlog.fleet([pipe, pipe.parent / "a.bin"], "DEMO", on_error="skip").skipped
    assert "a fleet has files only" in skipped[str(pipe)]
