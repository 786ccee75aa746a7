"""Prints the records that pymavlink reads in a log, as JSON lines for the tests.

One line for each record, in the order of the log:
    {"type": "ATT", "time": ..., "labels": [...], "units": [...], "instance": null, "values": [...]}
The time is in seconds since 1970, or since boot in a log without GPS. A float is {"f": its 64 bits in hexadecimal}, so
that it is compared bit for bit; text is a string; raw bytes are {"b": hexadecimal}; an array is a list of numbers.
A file .log is a text log. Its records have no times here: pymavlink fails to open one without the GPS week.
"""

import array
import json
import math
import struct
import sys

from pymavlink import DFReader


def value(v, format=None):
    if format == "g" and math.isnan(v):
        # Python's struct module doesn't keep which NaN a half-precision one is, in all versions.
        return {"f": "nan"}
    if isinstance(v, float):
        return {"f": struct.pack(">d", v).hex()}
    if isinstance(v, bytes):
        return {"b": v.hex()}
    if isinstance(v, array.array):
        return list(v)
    return v


def main(path):
    if path.endswith(".log"):
        DFReader.DFReader_text.init_clock = lambda log: None
        log = DFReader.DFReader_text(path)
    else:
        log = DFReader.DFReader_binary(path)
    while True:
        m = log.recv_msg()
        if m is None:
            break
        fmt = m.fmt
        instance = None
        if fmt.instance_field is not None:
            instance = value(getattr(m, fmt.instance_field))
            # MAVExplorer addresses a column by type and instance.
            assert log.messages["%s[%s]" % (fmt.name, instance)] is m
        line = {
            "type": m.get_type(),
            "time": value(float(m._timestamp)),
            "labels": fmt.columns,
            "units": [fmt.get_unit(c) for c in fmt.columns],
            "instance": instance,
            # Attributes, as a user's script reads them.
            "values": [value(getattr(m, c), f) for c, f in zip(fmt.columns, fmt.format)],
        }
        print(json.dumps(line))


main(sys.argv[1])
