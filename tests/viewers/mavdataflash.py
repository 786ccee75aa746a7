"""Prints what the Python package mavdataflash reads in a log, in the form of tests/src/viewer.rs."""

import json
import math
import struct
import sys

import polars
from MAVdataflash import DataFlash


def value(v):
    if isinstance(v, str):
        return v
    v = float(v)
    return {"f": "nan" if math.isnan(v) else struct.pack(">d", v).hex()}


def columns(log, name, frame):
    units = log.DFunit.get(name, {})
    return {
        label: {
            "count": frame.height,
            "unit": units.get(label),
            "first": value(frame[label][0]),
            "last": value(frame[label][-1]),
        }
        for label in frame.columns
        # The time of each record, which the package adds.
        if label != "DateTime"
    }


def main(path):
    log = DataFlash(path)
    shown = {}
    for name in list(log.DFdict):
        try:
            frame = log.GetData(name, in_polars=True)
        except polars.exceptions.SchemaError:
            # It can't join records with an array.
            continue
        if frame.height == 0:
            continue
        instance = log._getInstance(name)
        if instance is None:
            shown[name] = {"columns": columns(log, name, frame)}
            continue
        for i in sorted(set(frame[instance].to_list())):
            of_instance = log.GetData(name, instance=i, in_polars=True)
            shown["%s[%d]" % (name, i)] = {"columns": columns(log, name, of_instance)}
    print(json.dumps(shown))


main(sys.argv[1])
