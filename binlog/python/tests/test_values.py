"""Every value of real logs and of the simulator's is pymavlink's."""

import math
import os
import pathlib
import struct

import binlog
import numpy
import pytest

mavutil = pytest.importorskip("pymavlink.mavutil")

LOGS = [pathlib.Path(path) for path in os.environ.get("BINLOG_TEST_LOGS", "").split(os.pathsep) if path]


def equal(ours, theirs):
    """Whether two values are the same number or text."""
    if isinstance(ours, float) or isinstance(theirs, float):
        return math.isnan(ours) and math.isnan(theirs) or ours == theirs
    if isinstance(ours, str):
        return ours == theirs or ours.encode("latin-1", "replace") == str(theirs).encode("latin-1", "replace")
    if isinstance(ours, bytes):
        return ours == bytes(theirs)
    if isinstance(ours, list):
        return ours == list(theirs)
    return ours == theirs


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_records_are_those_of_pymavlink(path):
    theirs = mavutil.mavlink_connection(str(path))
    count = 0
    log = binlog.open(path)
    for ours in log.records():
        record = theirs.recv_msg()
        while record is not None and record.get_type() == "BAD_DATA":
            record = theirs.recv_msg()
        assert record is not None and ours.get_type() == record.get_type()
        for label in record.get_fieldnames():
            assert equal(ours[label], getattr(record, label)), (count, record.get_type(), label)
        if log.boot is not None and record.get_type() == "ATT":
            # pymavlink rounds to a millisecond here and there.
            assert abs(log.boot.timestamp() + ours.time - record._timestamp) < 0.01
        count += 1
    assert count > 0


@pytest.mark.parametrize("scaling", ["shown", "stored", "units"])
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_tables_at_once_are_those_one_after_the_other(path, scaling):
    log = binlog.open(path, scaling=scaling)
    for part in log, log.slice(0, log.duration / 2):
        at_once = part.tables()
        assert list(at_once) == [name for name, _ in part.items()]
        for name, table in part.items():
            assert at_once[name].columns == table.columns and at_once[name].units == table.units
            for column, other in zip(table.values(), at_once[name].values()):
                assert len(column) == len(other) and all(map(equal, column, other)), (name, column.name)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_columns_are_the_values_of_records(path):
    log = binlog.open(path)
    for name, table in log.items():
        rows = list(log.records(name))
        assert len(rows) == len(table)
        for label, column in table.items():
            assert all(equal(value, row[label]) for value, row in zip(column, rows)), (name, label)
