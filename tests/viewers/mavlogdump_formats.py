"""Prints what pymavlink's mavlogdump.py writes of a log, in the form of tests/src/viewer.rs.

    mavlogdump_formats.py json LOG
    mavlogdump_formats.py csv LOG TYPE...
    mavlogdump_formats.py mat LOG

The formats name no units, and don't separate instances.
"""

import csv
import json
import math
import os
import struct
import subprocess
import sys
import sysconfig
import tempfile


def mavlogdump(*arguments):
    tool = os.path.join(sysconfig.get_path("scripts"), "mavlogdump.py")
    return subprocess.run([sys.executable, tool, *arguments], check=True, stdout=subprocess.PIPE).stdout.decode()


def from_json(log):
    """A line for each record. "No value" is NaN, which isn't JSON, but which Python reads."""
    columns = {}
    for line in mavlogdump("--format", "json", log).splitlines():
        record = json.loads(line)
        message = columns.setdefault(record["meta"]["type"], {})
        for label, value in record["data"].items():
            message.setdefault(label, []).append(value)
    return columns


def from_csv(log, types):
    """A table for one type; values are as Python prints them."""
    columns = {}
    for name in types:
        labels, *rows = csv.reader(mavlogdump("--format", "csv", "--types", name, log).splitlines())
        columns[name] = {
            label: [float(row[i]) for row in rows] for i, label in enumerate(labels) if label != "timestamp"
        }
    return columns


def from_mat(log):
    """A struct for each type, with an array for each column. MATLAB pads texts to equal length."""
    import scipy.io

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log.mat")
        mavlogdump("--format", "mat", "--mat_file", path, log)
        types = scipy.io.loadmat(path)
    columns = {}
    for name, table in types.items():
        if name.startswith("__"):
            continue
        columns[name] = {}
        for label in table.dtype.names:
            values = table[0, 0][label]
            if values.dtype.kind == "U":
                columns[name][label] = [v.rstrip() for v in values.tolist()]
            else:
                # One row of all values, or a row of samples for each record.
                columns[name][label] = values[0].tolist() if len(values) == 1 else values.tolist()
    return columns


def value(v):
    if isinstance(v, (str, list)):
        return v
    v = float(v)
    return {"f": "nan" if math.isnan(v) else struct.pack(">d", v).hex()}


def column(values):
    return {"count": len(values), "unit": None, "first": value(values[0]), "last": value(values[-1])}


def main(form, log, *types):
    read = {"json": from_json, "csv": from_csv, "mat": from_mat}[form]
    columns = read(log, types) if form == "csv" else read(log)
    shown = {
        name: {"columns": {label: column(values) for label, values in message.items()}}
        for name, message in columns.items()
    }
    print(json.dumps(shown))


main(*sys.argv[1:])
