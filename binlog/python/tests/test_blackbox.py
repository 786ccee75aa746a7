"""Blackbox tables have the values that the program prints and exports."""

import csv
import json
import os
import pathlib
import subprocess

import binlog
import numpy
import pytest

pyarrow = pytest.importorskip("pyarrow")

LOGS = [pathlib.Path(path) for path in os.environ.get("BINLOG_TEST_BLACKBOX", "").split(os.pathsep) if path]
PROGRAM = os.environ.get("BINLOG_PROGRAM")
NEEDED = pytest.mark.skipif(not LOGS or not PROGRAM, reason="needs BINLOG_TEST_BLACKBOX and BINLOG_PROGRAM")


def printed(*arguments):
    """What the program prints; of a damaged log, it prints the rest, and its status is 3."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return done.stdout


def same(ours, theirs):
    return len(ours) == len(theirs) and all(a == b or (b is None and a != a) for a, b in zip(ours, theirs))


@NEEDED
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_stored_values_are_those_of_dump(path):
    compared = 0
    for number, session in enumerate(binlog.open(path, scaling="stored").sessions):
        frames = {}
        for line in printed("dump", "--json", "--session", number + 1, path).splitlines():
            frame = json.loads(line)
            frames.setdefault(frame["meta"]["type"], []).append(frame["data"])
        assert set(frames) - {"events"} == {name for name, table in session.items() if len(table)}
        for name, table in session.items():
            by_arrow = pyarrow.table(table)
            by_arrow.validate(full=True)
            assert list(table) == by_arrow.column_names and len(table) == by_arrow.num_rows
            for label, column in table.items():
                values = [frame[label] for frame in frames.get(name, [])]
                assert same(list(column), values), (number, name, label)
                assert same(numpy.asarray(column).tolist(), values), (number, name, label)
                assert same(by_arrow[label].to_pylist(), values), (number, name, label)
                compared += len(values)
    assert compared > 0


@NEEDED
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_values_in_units_are_those_of_the_export(path, tmp_path):
    compared = 0
    for number, session in enumerate(binlog.open(path, scaling="units").sessions):
        folder = tmp_path / f"{number}"
        printed("export", "--format", "csv", "--session", number + 1, "-o", folder, path)
        for name, table in session.items():
            if len(table) == 0:
                continue
            with open(folder / f"{name}.csv", newline="") as file:
                rows = list(csv.DictReader(file))
            for label, column in table.items():
                values = [float(row[label]) if row[label] else None for row in rows]
                if label == "time":
                    # The export has microseconds.
                    values = [value / 1e6 for value in values]
                assert same(column.to_list(), values), (number, name, label)
                compared += len(values)
    assert compared > 0


@NEEDED
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_mapped_values_are_those_that_are_read(path):
    def values(**options):
        sessions = binlog.open(path, **options).sessions
        return [{name: table.to_dict() for name, table in session.items()} for session in sessions]

    assert repr(values(map=True)) == repr(values())
