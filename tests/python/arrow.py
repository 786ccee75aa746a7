"""Reads every type of a log through Arrow's C stream interface, and compares each value with pymavlink's.

    arrow.py LIBRARY LOG

LIBRARY is the example `arrow` of binlog. Prints how many types and values were the same.
"""

import ctypes
import sys

import pyarrow
from pymavlink import mavutil

library = ctypes.CDLL(sys.argv[1])
log = sys.argv[2]


def table(name):
    stream = ctypes.create_string_buffer(5 * 8)
    assert library.binlog_stream(log.encode(), name.encode(), stream) == 0, name
    return pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream)).read_all()


def is_same(ours, theirs):
    if isinstance(theirs, bytes):
        theirs = theirs.decode("latin1").rstrip("\0")
    if isinstance(ours, list):
        theirs = list(theirs)
    return ours == theirs or (ours != ours and theirs != theirs)


records = {}
connection = mavutil.mavlink_connection(log)
while (record := connection.recv_msg()) is not None:
    records.setdefault(record.get_type(), []).append(record)

values = 0
for name, theirs in records.items():
    ours = table(name)
    ours.validate(full=True)
    assert ours.num_rows == len(theirs), (name, ours.num_rows, len(theirs))
    for label in ours.column_names:
        if pyarrow.types.is_fixed_size_binary(ours[label].type):
            continue
        for one, record in zip(ours[label].to_pylist(), theirs):
            assert is_same(one, getattr(record, label)), (name, label, one, getattr(record, label))
            values += 1

# What is released early or asked for often isn't lost.
for _ in range(100):
    stream = ctypes.create_string_buffer(5 * 8)
    library.binlog_stream(log.encode(), next(iter(records)).encode(), stream)
    reader = pyarrow.RecordBatchReader._import_from_c(ctypes.addressof(stream))
    batch = reader.read_next_batch()
    del reader
    batch.validate(full=True)
assert library.binlog_stream(log.encode(), b"NONE", stream) == 1
print(len(records), "types,", values, "values")
