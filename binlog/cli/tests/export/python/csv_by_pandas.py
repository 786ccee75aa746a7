"""Reads CSV with pandas, without options, and compares with pymavlink: csv_by_pandas.py LOG FOLDER."""
import math
import os
import sys

import pandas
from pymavlink import DFReader

log = DFReader.DFReader_binary(sys.argv[1])
records = {}
while (record := log.recv_msg()) is not None:
    records.setdefault(record.get_type(), []).append(record)
files = [name for name in os.listdir(sys.argv[2]) if name.endswith(".csv")]
assert len(files) > 10
for name in files:
    table = pandas.read_csv(os.path.join(sys.argv[2], name))
    theirs = records[name[:-4]]
    assert len(table) == len(theirs), name
    for label in table.columns:
        values = [getattr(record, label) for record in theirs if label in record.get_fieldnames()]
        if not values or not isinstance(values[0], (int, float)):
            continue
        assert pandas.api.types.is_numeric_dtype(table[label]), (name, label)
        for ours, value in zip(table[label], values):
            # The shortest text of an f32 is within its precision.
            assert ours == value or math.isclose(ours, value, rel_tol=1e-7) or (ours != ours and value != value)
