"""Sail and Spark read logs by `binlog.spark`, and the program's data sets, as others do.

BINLOG_ENGINES has the engines, separated by commas: `sail`, `spark`. BINLOG_PROGRAM is the program `binlog`.
"""

import json
import math
import os
import pathlib
import subprocess
import sys

import binlog
import pytest
from made import FMT, definition, record

pyarrow = pytest.importorskip("pyarrow")
duckdb = pytest.importorskip("duckdb")
polars = pytest.importorskip("polars")
compute = pytest.importorskip("pyarrow.compute")

ENGINES = [engine for engine in os.environ.get("BINLOG_ENGINES", "").split(",") if engine]
LOGS = [pathlib.Path(path) for path in os.environ.get("BINLOG_TEST_LOGS", "").split(os.pathsep) if path]
TYPES = "ATT", "IMU", "GPS", "BARO", "MODE", "BAT"


def number(value, width):
    return value.to_bytes(width, "little", signed=value < 0)


def odd_log(times, step):
    """A type with each kind of values, instances, and labels of ours; a column is wider in every second log."""
    wide = step % 2
    count, width = ("I", 4) if wide else ("H", 2)
    labels = "TimeUS,I,Count,Large,Data,Wave,Session,log_id"
    log = FMT + definition(1, 3 + 8 + 1 + width + 8 + 64 + 64 + 4 + 1, "ODD", f"QB{count}QZanB", labels)
    log += definition(2, 3 + 8 + 64, "FILE", "QZ", "TimeUS,Data")
    # Units say which column separates instances.
    log += definition(130, 3 + 8 + 1 + 16 + 16, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds")
    log += record(130, number(0, 8) + b"\x01" + b"s#------".ljust(16, b"\0") + b"F-------".ljust(16, b"\0"))
    for i, time in enumerate(times):
        large = (1 << 64) - 1 if i == 0 else i
        numbers = number(time, 8) + bytes([i % 2]) + number(step + i, width) + number(large, 8)
        wave = b"".join(number(j - 16, 2) for j in range(32))
        log += record(1, numbers + b"text".ljust(64, b"\0") + wave + b"abcd" + b"\x07")
        log += record(2, number(time, 8) + bytes(range(64)))
    return log


@pytest.fixture(scope="module")
def fleet(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines")
    (folder / "logs" / "odd").mkdir(parents=True)
    for path in LOGS:
        (folder / "logs" / path.name).write_bytes(path.read_bytes())
    for step in range(4):
        # Two boots, and times that jump back.
        log = odd_log([1000 * step + t for t in (5, 1, 9, 7)], step) + odd_log([3, 4], step)
        (folder / "logs" / "odd" / f"{step}.bin").write_bytes(log)
    # What lies beside logs, and isn't one.
    (folder / "logs" / "odd" / "LASTLOG.TXT").write_text("3\r\n")
    (folder / "logs" / "odd" / "notes.txt").write_text("two flights")
    program = os.environ.get("BINLOG_PROGRAM")
    if program is None:
        pytest.skip("BINLOG_PROGRAM doesn't name the program")
    export = [program, "export", folder / "logs", "--format", "parquet", "-o", folder / "set"]
    # Damaged logs make it 3.
    assert subprocess.run(export, capture_output=True).returncode in (0, 3)
    return folder


def ask(engine, folder, queries):
    (folder / "queries.json").write_text(json.dumps(queries))
    script = pathlib.Path(__file__).with_name("engine_queries.py")
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, script, engine, folder / "queries.json"]
    run = subprocess.run(command, capture_output=True, env=environment)
    assert run.returncode == 0, run.stderr.decode()[-5000:]
    return json.loads(run.stdout.splitlines()[-1])


def sums_of(names):
    names = [name for name in names if name not in ("log_id", "session", "instance", "UTC")]
    # NaN is null in a data set.
    return [f"count(*) AS `#`"] + [
        f"sum(CASE WHEN isnan(CAST(`{name}` AS DOUBLE)) THEN NULL ELSE CAST(`{name}` AS DOUBLE) END) AS `{name}`"
        for name in names
    ]


def numbers(schema):
    is_number = pyarrow.types.is_integer, pyarrow.types.is_floating
    return [field.name for field in schema if any(is_it(field.type) for is_it in is_number)]


def close(one, other):
    if (one is None or one == 0) and (other is None or other == 0):
        return True
    return one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def same(one, other):
    return one.keys() == other.keys() and all(close(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def expected(fleet):
    """The sums of each type by `binlog.fleet`."""
    types = {}
    for name in TYPES:
        try:
            table = pyarrow.table(binlog.fleet(fleet / "logs", name)).drop_columns("session")
        except KeyError:
            continue
        sums = {"#": table.num_rows}
        for label in numbers(table.schema):
            values = compute.cast(table[label], pyarrow.float64(), safe=False)
            # The name of a column that every type has.
            label_there = f"{label}_" if label == "Instance" else label
            sums[label_there] = compute.sum(values.filter(compute.invert(compute.is_nan(values)))).as_py()
        types[name] = sums
    assert not LOGS or "ATT" in types
    return types


def test_duckdb_and_polars_have_the_sums_of_the_logs(fleet, expected):
    for name, sums in expected.items():
        files = f"read_parquet('{fleet}/set/{name}/*.parquet', union_by_name = true)"
        columns = ", ".join(f'sum("{label}"::DOUBLE)' for label in sums if label != "#")
        row = duckdb.sql(f"SELECT count(*), {columns} FROM {files}").fetchall()[0]
        assert same(sums, dict(zip(sums, row))), name
        files = [polars.scan_parquet(file) for file in sorted((fleet / "set" / name).glob("*.parquet"))]
        frame = polars.concat(files, how="diagonal_relaxed").collect()
        by_polars = {label: frame[label].cast(polars.Float64).sum() if label != "#" else len(frame) for label in sums}
        assert same(sums, by_polars), name


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_has_the_sums_of_the_logs(engine, fleet, expected):
    queries = []
    for name, sums in expected.items():
        select = sums_of(label for label in sums if label != "#")
        path = str(fleet / "logs")
        queries.append({"name": f"{name} raw", "path": path, "raw": {"message": name}, "select": select})
        packs = {"message": name, "partition_bytes": "100000"}
        queries.append({"name": f"{name} packs", "path": path, "raw": packs, "select": select})
        queries.append({"name": f"{name} parquet", "parquet": f"{fleet}/set/{name}", "select": select})
    answers = ask(engine, fleet, queries)
    for query in queries:
        name = query["name"]
        assert same(expected[name.split()[0]], answers[name]), (name, answers[name])


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_reads_all_tables_of_a_data_set(engine, fleet):
    folders = sorted(path.name for path in (fleet / "set").iterdir() if path.is_dir())
    # A query of Spark takes half a second.
    folders = folders if engine == "sail" else [name for name in folders if name in ("ATT", "ODD", "FILE", "logs")]
    queries = [{"name": name, "parquet": str(fleet / "set" / name)} for name in folders]
    for name, answer in ask(engine, fleet, queries).items():
        count = duckdb.sql(f"SELECT count(*) FROM '{fleet}/set/{name}/*.parquet'").fetchall()[0][0]
        assert len(answer.get("rows", ())) == count, (name, answer.get("error"))


ROWS = [
    {
        "log_id": f"{step}.bin",
        "session": session,
        "instance": i % 2,
        "TimeUS": time,
        "I": i % 2,
        "Count": step + i,
        "Large": None if i == 0 else i,
        "Data": "text",
        "Wave": [j - 16 for j in range(32)],
        "Session_": "abcd",
        "log_id_": 7,
    }
    for step in range(4)
    for session, times in ((1, [1000 * step + t for t in (5, 1, 9, 7)]), (2, [3, 4]))
    for i, time in enumerate(times)
]

FILTERS = {
    "TimeUS >= 1005 AND TimeUS < 2009": lambda row: 1005 <= row["TimeUS"] < 2009,
    "TimeUS > 1 AND TimeUS <= 2009 AND instance = 1": lambda row: 1 < row["TimeUS"] <= 2009 and row["instance"] == 1,
    "timeus = 3": lambda row: row["TimeUS"] == 3,
    "session = 2 AND instance <> 0": lambda row: row["session"] == 2 and row["instance"] != 0,
    "instance IN (1, 5) AND Count > 3": lambda row: row["instance"] in (1, 5) and row["Count"] > 3,
    "log_id = '2.bin'": lambda row: row["log_id"] == "2.bin",
    "log_id LIKE '%2.bin' OR TimeUS = 3005": lambda row: row["log_id"] == "2.bin" or row["TimeUS"] == 3005,
    "log_id IN ('0.bin', '3.bin', 'none') AND log_id <> '0.bin'": lambda row: row["log_id"] == "3.bin",
    "log_id NOT IN ('0.bin', '3.bin')": lambda row: row["log_id"] not in ("0.bin", "3.bin"),
    "startswith(log_id, '1') AND contains(log_id, 'i')": lambda row: row["log_id"] == "1.bin",
    "TimeUS > 9223372036854775806": lambda row: False,
    "instance IS NOT NULL AND NOT (TimeUS = 3)": lambda row: row["TimeUS"] != 3,
    "instance IS NULL": lambda row: False,
    "TimeUS > 3000.5": lambda row: row["TimeUS"] > 3000.5,
}


def as_dicts(answer):
    assert "rows" in answer, answer.get("error")
    return ordered(dict(zip(answer["columns"], row)) for row in answer["rows"])


def ordered(rows):
    return sorted(rows, key=lambda row: (row["log_id"], row["TimeUS"]))


@pytest.mark.parametrize("engine", [*ENGINES, *["spark-without-pushdown"] * ("spark" in ENGINES)])
def test_filters_choose_the_records_that_they_describe(engine, fleet):
    path, raw = str(fleet / "logs" / "odd"), {"message": "ODD"}
    queries = [{"name": where, "path": path, "raw": raw, "where": where} for where in FILTERS]
    answers = ask(engine, fleet, [*queries, {"name": "all", "path": path, "raw": raw}])
    assert as_dicts(answers["all"]) == ordered(ROWS)
    for where, accepts in FILTERS.items():
        assert as_dicts(answers[where]) == ordered(row for row in ROWS if accepts(row)), where


@pytest.mark.parametrize("engine", ENGINES)
def test_the_options_of_the_source(engine, fleet):
    path = str(fleet / "logs" / "odd")
    (fleet / "bad").mkdir(exist_ok=True)
    (fleet / "bad" / "good.bin").write_bytes(odd_log([1], 0))
    (fleet / "bad" / "bad.bin").write_text("no log")
    (fleet / "timeless").mkdir(exist_ok=True)
    old = FMT + definition(1, 7, "OLD", "i", "X") + record(1, number(5, 4))
    (fleet / "timeless" / "a.bin").write_bytes(old)
    schema = "count BIGINT, log_id STRING, timeus BIGINT, none DOUBLE, Session_ STRING"
    bad, two = str(fleet / "bad"), f"{path}/0.bin\n{path}/1.bin"
    answers = ask(
        engine,
        fleet,
        [
            {"name": "columns", "path": path, "raw": {"message": "ODD", "columns": "Count, I"}},
            {"name": "schema", "path": path, "raw": {"message": "ODD"}, "schema": schema, "where": "timeus = 3"},
            {"name": "narrow", "path": path, "raw": {"message": "ODD"}, "schema": "log_id STRING, Large INT"},
            {"name": "text", "path": path, "raw": {"message": "ODD"}, "schema": "log_id STRING, Data INT"},
            {"name": "two", "path": two, "raw": {"message": "ODD"}, "select": ["count(*)", "count(DISTINCT log_id)"]},
            {"name": "stored", "path": path, "raw": {"message": "ODD", "scaling": "stored"}, "select": ["sum(Count)"]},
            {"name": "bytes", "path": path, "raw": {"message": "FILE", "columns": "Data"}},
            {"name": "timeless", "path": str(fleet / "timeless"), "raw": {"message": "OLD"}},
            {"name": "bad", "path": bad, "raw": {"message": "ODD"}},
            {"name": "skip", "path": bad, "raw": {"message": "ODD", "on_error": "skip"}, "select": ["count(*)"]},
            {"name": "typo", "path": path, "raw": {"message": "ODD", "colums": "Count"}},
            {"name": "type", "path": path, "raw": {"message": "odd"}},
            {"name": "column", "path": path, "raw": {"message": "ODD", "columns": "count"}},
        ],
    )
    assert answers["columns"]["columns"] == ["log_id", "session", "instance", "TimeUS", "I", "Count"]
    assert sorted(answers["schema"]["rows"]) == [[step, f"{step}.bin", 3, None, "abcd"] for step in range(4)]
    assert "ODD.Large has values of type I64, which the column's I32 doesn't hold" in answers["narrow"]["error"]
    assert "ODD.Data has values of type Text" in answers["text"]["error"]
    assert list(answers["two"].values()) == [12, 2]
    assert list(answers["stored"].values()) == [sum(row["Count"] for row in ROWS)]
    assert answers["bytes"]["rows"][0][-1] == list(range(64))
    assert answers["timeless"]["rows"] == [["a.bin", 1, None, None, 5]]
    assert "bad.bin: neither an ArduPilot log" in answers["bad"]["error"]
    assert list(answers["skip"].values()) == [1]
    assert "no option is called colums" in answers["typo"]["error"]
    assert "did you mean `ODD`?" in answers["type"]["error"]
    assert "did you mean `Count`?" in answers["column"]["error"]


def test_short_logs_share_partitions_and_batches(tmp_path):
    pytest.importorskip("pyspark")
    from binlog import spark

    log = odd_log([1, 2], 0)
    for name in range(7):
        (tmp_path / f"{name}.bin").write_bytes(log)
    (tmp_path / "large.bin").write_bytes(odd_log(range(9), 0))
    options = {"path": str(tmp_path), "message": "ODD", "partition_bytes": str(3 * len(log))}
    source = spark.LogSource(options)
    reader = source.reader(source.schema())
    packs = reader.partitions()
    assert sum((len(pack.logs) for pack in packs), 0) == 8
    assert all(sum(length for _, _, length, _ in pack.logs[:-1]) <= 3 * len(log) for pack in packs)
    batches = [list(reader.read(pack)) for pack in packs]
    assert [len(batches) for batches in batches] == [1] * len(packs)
    assert sum(batch.num_rows for batches in batches for batch in batches) == 7 * 2 + 9


def test_partitions_have_at_least_a_byte(tmp_path):
    pytest.importorskip("pyspark")
    from binlog import spark

    (tmp_path / "a.bin").write_bytes(odd_log([1, 2], 0))
    options = {"path": str(tmp_path), "message": "ODD"}
    text = "partition_bytes is a whole number above 0, without a unit, not "
    for wrong in "x", "-5", "0", "64MB", "1e6", "":
        with pytest.raises(ValueError, match=f"{text}{wrong!r}"):
            spark.LogSource({**options, "partition_bytes": wrong}).schema()
    for right in "1", "99999999999999999999":
        source = spark.LogSource({**options, "partition_bytes": right})
        assert [len(pack.logs) for pack in source.reader(source.schema()).partitions()] == [1]


def test_a_large_log_has_the_sessions_of_the_whole(tmp_path):
    from binlog._binlog import engine_logs, engine_read

    def boot(name, count, time):
        one = record(1, number(time, 8) + number(count, 4))
        return FMT + definition(1, 15, name, "Qi", "TimeUS,X") + one * count

    # Of a log of more than 4 MiB, only records of the type are kept.
    path = tmp_path / "large.bin"
    path.write_bytes(boot("DEMO", 2, 5) + boot("BARO", 300_000, 6) + boot("DEMO", 3, 7))
    logs, _ = engine_logs([str(tmp_path)], "raise")
    columns = [("session", "I32"), ("TimeUS", "I64"), ("X", "I32"), ("log_id", "Text")]
    table = pyarrow.table(engine_read(logs, "DEMO", columns, "shown", [], "raise"))
    rows = [(1, 5, 2, "large.bin")] * 2 + [(3, 7, 3, "large.bin")] * 3
    assert [tuple(row.values()) for row in table.to_pylist()] == rows
    with pytest.raises(KeyError, match="did you mean `BARO`"):
        binlog.fleet(tmp_path, "Baro")


def test_importing_binlog_needs_no_engine():
    code = "import sys, binlog; assert not {'pyspark', 'pyarrow', 'pysail'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
