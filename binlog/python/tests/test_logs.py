"""What an analyst does with a log: parts, names, comparisons, other processes."""

import copy
import errno
import math
import multiprocessing
import os
import pathlib
import pickle
import re
import struct
import warnings

import binlog
import pytest
from made import FMT, definition, record

numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

FLIGHT = pathlib.Path("flight.bin")
needs_flight = pytest.mark.skipif(not FLIGHT.exists(), reason="flight.bin of the simulator isn't here")

PARM, MODE, MSG, DEMO, FILE = 10, 11, 12, 13, 14


def second(seconds):
    return struct.pack("<Q", round(seconds * 1e6))


def text(value, width):
    return value.encode().ljust(width, b"\0")


DEFINITIONS = (
    FMT
    + definition(PARM, 31, "PARM", "QNf", "TimeUS,Name,Value")
    + definition(MODE, 14, "MODE", "QMBB", "TimeUS,Mode,ModeNum,Rsn")
    + definition(MSG, 75, "MSG", "QZ", "TimeUS,Message")
    + definition(DEMO, 12, "DEMO", "QB", "TimeUS,time")
)


def parameter(seconds, name, value):
    return record(PARM, second(seconds) + text(name, 16) + struct.pack("<f", value))


def boot(modes, start=1):
    """A log of the seconds 1 to 9, with a parameter that is 3.5 at first and 4.5 from second 6 on."""
    log = DEFINITIONS + record(MSG, second(start) + text("ArduCopter V4.6.0", 64)) + parameter(start, "RATE", 3.5)
    for number in range(start, start + 9):
        for mode in [mode for at, mode in modes if at == number]:
            log += record(MODE, second(number) + bytes([mode, mode, 0]))
        log += record(DEMO, second(number) + bytes([number]))
        log += parameter(number, "RATE", 4.5) if number == start + 5 else b""
        log += record(MSG, second(number) + text(f"second {number}", 64))
    return log


@pytest.fixture
def made(tmp_path):
    """Opens a log of these bytes."""

    def open(log, **arguments):
        path = tmp_path / "made.bin"
        path.write_bytes(log)
        return binlog.open(path, **arguments)

    return open


def test_a_part_has_the_facts_of_its_time_alone(made):
    log = made(boot([(1, 0), (4, 3)]))
    assert (log.duration, [mode.name for mode in log.modes]) == (8.0, ["STABILIZE", "AUTO"])
    part = log.slice(3, 5.5)
    assert (part.duration, part.vehicle, part.params) == (2.5, "Copter", {"RATE": 3.5})
    assert [(mode.name, mode.start, mode.end) for mode in part.modes] == [("STABILIZE", 3, 4), ("AUTO", 4, 5.5)]
    assert [message.text for message in part.messages] == ["second 3", "second 4", "second 5"]
    assert (part["DEMO"]["time"].to_list(), list(part)) == ([3, 4, 5], ["MODE", "MSG", "DEMO"])
    assert [record.get_type() for record in part.records()].count("PARM") == 0
    assert log.slice(0, 100).duration == 8.0 and log.slice(0, 100).params == {"RATE": 4.5}


def test_a_part_without_records_has_the_facts_of_its_time(made):
    log = made(boot([(1, 0), (4, 3)]))
    for start, end, value, modes in (
        (5.25, 5.75, 3.5, ["AUTO"]),
        (6.25, 6.75, 4.5, ["AUTO"]),
        (0, 0.5, 3.5, []),
        (50, 60, 4.5, []),
    ):
        part = log.slice(start, end)
        assert (part.vehicle, part.params, [mode.name for mode in part.modes]) == ("Copter", {"RATE": value}, modes)
        assert (len(part), len(part["DEMO"]), part.messages, list(part.records())) == (0, 0, [], [])
        assert part["DEMO"].columns == ["TimeUS", "time"] and "DEMO" not in part
        assert part.duration == (0.5 if modes else 0)
    assert log.armed().params == {"RATE": 3.5} and log.armed().duration == 0


def test_the_parts_of_a_mode_are_no_others(made):
    log = made(boot([(1, 0), (3, 3), (5, 0), (8, 3)]))
    part = log.mode("auto")
    assert (part.duration, part["DEMO"]["time"].to_list()) == (3.0, [3, 4, 8, 9])
    assert [(mode.name, mode.start) for mode in part.modes] == [("AUTO", 3), ("AUTO", 8)]
    assert part.slice(4, 8.5)["DEMO"]["time"].to_list() == [4, 8] and part.slice(4, 8.5).duration == 1.5
    assert log.slice(4, 8.5).mode("AUTO")["DEMO"]["time"].to_list() == [4, 8]
    with pytest.raises(KeyError, match="never in mode `AUT`; did you mean `AUTO`"):
        part.mode("AUT")
    with pytest.raises(KeyError, match="it has none"):
        log.slice(50, 60).mode("AUTO")


def test_the_parts_of_a_mode_are_those_of_its_boot(made):
    log = made(boot([(1, 0), (4, 3)]) + boot([(1, 3), (3, 0)]))
    assert log.duration == 16.0
    part = log.mode("AUTO")
    assert (part["DEMO"]["time"].to_list(), part.duration) == ([4, 5, 6, 7, 8, 9, 1, 2], 7.0)
    assert [(mode.start, round(mode.end)) for mode in part.modes] == [(4, 9), (1, 3)]
    assert log.slice(8, 9.5)["DEMO"]["time"].to_list() == [8, 9, 8, 9]
    assert part.slice(1, 2.5).params == {"RATE": 3.5}


def test_damage_is_in_the_part_of_its_time(made):
    log = boot([(1, 0)])
    at = log.index(record(DEMO, second(6))) + 12
    log = made(log[:at] + b"lost" + log[at:])
    where = [(damage.offset, damage.length) for damage in log.damage]
    assert where == [(at, 4)]
    assert [damage.offset for damage in log.slice(5, 7).damage] == [at] and log.slice(1, 5).damage == []


def test_a_log_is_a_mapping(made):
    log = made(boot([(1, 0)]))
    assert [name in log for name in ("DEMO", "DEMO.time", "DEMO.Time", "DEMO[1]", "FILE", "", ".", 3)] == [
        True,
        True,
        *[False] * 6,
    ]
    assert log.get("DEMO.time")[0] == 1 and log.get("DEMO.Time") is None and log.get("IMU", 7) == 7
    assert log["DEMO"].get("time")[0] == 1 and log["DEMO"].get("Time", 7) == 7
    with pytest.raises(TypeError, match=r"nothing at \[3\]"):
        log[3]
    defined = made(DEFINITIONS)
    assert "DEMO" not in defined and len(defined["DEMO"]) == 0 and defined["DEMO"].columns == ["TimeUS", "time"]
    with pytest.raises(TypeError, match=r"\[slice\(0, 3, None\)\] isn't in a table"):
        log["DEMO"][0:3]
    with pytest.raises(TypeError, match=r"log.records\(\"ATT\", \"GPS\"\), not {'DEMO': 1}"):
        log.records({"DEMO": 1})


def test_a_redefined_type_has_its_records(tmp_path):
    path = tmp_path / "redefined.bin"
    log = FMT
    for kind, formats, value in (1, "Qh", (7).to_bytes(2, "little")), (2, "Qi", (70_000).to_bytes(4, "little")):
        log += definition(kind, 11 + len(value), "DEMO", formats, "TimeUS,X")
        log += record(kind, (1_000_000 * kind).to_bytes(8, "little") + value)
    path.write_bytes(log)
    log = binlog.open(path)
    assert [(record.time, record.X) for record in log.records("DEMO", "DEMO")] == [(1.0, 7), (2.0, 70_000)]
    with pytest.raises(ValueError, match="redefines DEMO.X"):
        log["DEMO"]


def test_what_isnt_there_is_a_key_error_that_helps(tmp_path):
    path = tmp_path / "empty.bin"
    path.write_bytes(FMT)
    log = binlog.open(path)
    for name, text in ("fmt", "FMT"), ("FMT.name", "Name"), ("FMT[1]", "instances"):
        with pytest.raises(KeyError, match=text):
            log[name]
    with pytest.raises(KeyError):
        log["FMT"][1]
    with pytest.raises(AttributeError, match="FMT has no column `name`"):
        next(log.records("FMT")).name
    with pytest.raises(FileNotFoundError, match="none.bin"):
        binlog.open(tmp_path / "none.bin")
    (tmp_path / "text.bin").write_text("TimeUS,Roll")
    with pytest.raises(OSError, match="text.bin: neither an ArduPilot log"):
        binlog.open(tmp_path / "text.bin")


def test_damage_is_in_the_log_or_an_error(tmp_path):
    path = tmp_path / "damaged.bin"
    path.write_bytes(FMT + b"lost" + b"\xa3")
    assert [(damage.offset, damage.length) for damage in binlog.open(path).damage] in ([(89, 5)], [(89, 4), (93, 1)])
    with pytest.raises(binlog.DamagedLog, match="damaged.bin"):
        binlog.open(path, strict=True)


@needs_flight
@pytest.mark.parametrize("name", ["A.B", "X[0]", ".", "[", "X]", "", "X[]", "[1].", "é"])
def test_a_type_with_a_damaged_name_is_one_as_others(made, name):
    log = made(FMT + definition(9, 12, name, "QB", "TimeUS,X") + record(9, second(1) + b"\x07") + boot([(1, 0)]))
    assert name in log and name in list(log) and log[name]["X"].to_list() == [7]
    assert dict(log.items())[name]["X"].to_list() == [7] and len(log.values()) == len(log)
    assert [one.X for one in log.records(name)] == [7] and len(log.records()) == sum(map(len, log.values()))
    assert log.slice(0, 2)[name]["X"].to_list() == [7] and name in log._repr_html_()


def test_an_instance_and_its_columns_are_in_a_log():
    log = binlog.open(FLIGHT)
    assert "IMU[1]" in log and "IMU[1].GyrX" in log and "IMU[7]" not in log and "IMU[1].Gyr" not in log
    with pytest.raises(KeyError, match="ATT has no column `Rol`; did you mean `Roll`?"):
        log["ATT"]["Rol"]
    with pytest.raises(KeyError, match="ATT has no column `Roll`; it has TimeUS, Pitch"):
        log["ATT"][["TimeUS", "Pitch"]]["Roll"]


def test_types_beside_one_that_is_redefined_come_through(made):
    log = boot([(1, 0)])
    for kind, formats, value in (20, "Qh", b"\x07\x00"), (21, "Qi", b"\x08\x00\x00\x00"):
        log += definition(kind, 11 + len(value), "TWO", formats, "TimeUS,X") + record(kind, second(3) + value)
    log = made(log)
    with pytest.warns(UserWarning, match="TWO is left out: the log redefines TWO.X.*log.records"):
        assert [name for name, _ in log.items()] == ["FMT", "PARM", "MODE", "MSG", "DEMO"]
    with pytest.warns(UserWarning, match="TWO is left out"):
        assert len(log.values()) == 5
    with pytest.warns(UserWarning, match="TWO is left out"):
        assert list(log.tables()) == ["FMT", "PARM", "MODE", "MSG", "DEMO"]
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    with pytest.warns(UserWarning, match="TWO is left out"):
        log.register(connection)
    assert connection.sql("SELECT count(*) FROM DEMO").fetchall() == [(9,)]
    assert "TWO" in log and "TWO.X" in log and [row.X for row in log.records("TWO")] == [7, 8]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            log.items()


def test_values_are_compared_by_what_has_arrays(made):
    column = made(boot([(1, 0)]))["DEMO"]["time"]
    compared = lambda other: [
        lambda: column == other,
        lambda: column != other,
        lambda: column < other,
        lambda: column >= other,
        lambda: other in [column],
    ]
    for other in 3, 3.0, "3", [3], None, made(boot([(1, 0)]))["DEMO"]["time"]:
        for compare in compared(other):
            with pytest.raises(TypeError, match="numpy.asarray"):
                compare()
    for other in numpy.uint8(3), numpy.asarray(column), numpy.float64(3):
        assert (column == other).tolist() == (numpy.asarray(column) == other).tolist()
        assert (column < other).tolist() == (numpy.asarray(column) < other).tolist()
    table = made(boot([(1, 0)]))["DEMO"]
    with pytest.raises(TypeError, match="aren't compared"):
        table == table


def test_what_is_no_array_says_what_is(made):
    pandas = pytest.importorskip("pandas")
    log = made(boot([(1, 0)]))
    for what in log, log["DEMO"]:
        with pytest.raises(TypeError, match="numpy.asarray"):
            numpy.asarray(what)
    with pytest.raises(TypeError, match=r"pandas.DataFrame\(dict\(table\)\)"):
        pandas.DataFrame(log["DEMO"])
    assert pandas.DataFrame(dict(log["DEMO"]))["time"].tolist() == list(range(1, 10))
    assert pandas.DataFrame(dict(log["DEMO"])).dtypes.tolist() == ["uint64", "uint8"]
    assert pandas.Series(log["DEMO"]["time"]).tolist() == list(range(1, 10))
    assert pandas.Series(log["MSG"]["Message"]).tolist()[1] == "second 1"


def test_a_column_has_places_and_slices(made):
    column = made(boot([(1, 0)]))["DEMO"]["time"]
    assert (column[0], column[-1], column[2:4], column[::-4], column[9:]) == (1, 9, [3, 4], [9, 5, 1], [])
    for place in 9, -10, 2**40, 10**30, -(10**30):
        with pytest.raises(IndexError, match=f"time has 9 values, and none at {place}"):
            column[place]
    for place in "time", [1, 2], numpy.asarray(column) > 3:
        with pytest.raises(TypeError, match="numpy.asarray"):
            column[place]
    with pytest.raises(AttributeError, match="no attribute `mean`; numpy.asarray"):
        column.mean()


def test_methods_of_a_record_hide_fields_of_their_name(made):
    one = next(made(boot([(1, 0)])).records("DEMO"))
    assert (one.time, one["time"], one.TimeUS, one.get_type()) == (1.0, 1, 1_000_000, "DEMO")
    assert one.to_dict() == {"mavpackettype": "DEMO", "TimeUS": 1_000_000, "time": 1}
    with pytest.raises(AttributeError, match="DEMO has no column `timeus`; did you mean `TimeUS`?"):
        one.timeus
    with pytest.raises(AttributeError, match="DEMO has no column `Roll`; it has TimeUS, time"):
        one.Roll
    with pytest.raises(TypeError, match=r"none at \[0\]"):
        dict(one)
    assert ("time" in one, "Time" in one, 1 in one, None in one, b"time" in one) == (True, False, False, False, False)


def test_half_of_a_character_is_no_name(made):
    """Python's texts may have it, and no log's."""
    log = made(boot([(1, 0)]))
    for what in next(log.records("DEMO")), log["DEMO"]["time"], log["DEMO"], log:
        assert not hasattr(what, "\ud800")
    for what in next(log.records("DEMO")), log["DEMO"], log:
        assert "\ud800" not in what
        with pytest.raises(KeyError, match="no (column|type)"):
            what["\ud800"]
    assert log.get("\ud800", 7) == log["DEMO"].get("\ud800", 7) == 7


def test_texts_of_a_log_are_escaped_for_people(made):
    log = made(DEFINITIONS + record(MSG, second(1) + text("\x1b[2J\r<b>é\u202e'ดี", 64)))
    shown = "\\u{1b}[2J\\r<b>é\\u{202e}'ดี"
    for what in log["MSG"]["Message"], log.messages[0], next(log.records("MSG")):
        assert shown in repr(what) and "\x1b" not in repr(what), repr(what)
    assert "\x1b" not in log["MSG"]._repr_html_() and "&lt;b&gt;é" in log["MSG"]._repr_html_()
    assert log.messages[0].text.startswith("\x1b")


def test_raw_data_is_shown_as_bytes(made):
    log = FMT + definition(FILE, 90, "FILE", "NhIBZ", "FileName,Offset,Dummy,Length,Data")
    log = made(log + record(FILE, text("@SYS/a", 16) + bytes(7) + b"\x01'\xff".ljust(64, b"\0")))
    assert repr(log["FILE"]["Data"]).startswith(r"<Data: 1 values: b'\x01\'\xff\x00\x00")
    assert pickle.loads(pickle.dumps(log["FILE"]["Data"]))[0] == log["FILE"]["Data"][0] == b"\x01'\xff".ljust(64, b"\0")


def test_raw_data_keeps_its_zeros_everywhere(made, tmp_path):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    data = [b"\x01'\xff".ljust(64, b"\0"), bytes(64), bytes(range(64))]
    log = FMT + definition(FILE, 67, "FILE", "Z", "Data") + b"".join(record(FILE, one) for one in data)
    column = made(log)["FILE"]["Data"]
    array = numpy.asarray(column)
    assert array.dtype == "V64" and array.tolist() == data and array[0].tobytes() == data[0]
    assert array.view("u1").reshape(-1, 64)[2].tolist() == list(range(64)) and not array.flags.writeable
    assert pandas.Series(column).tolist() == pandas.DataFrame({"Data": column})["Data"].tolist() == data
    assert pyarrow.array(column).to_pylist() == polars.Series(column).to_list() == column.to_list() == data
    for values in array, column, data, pyarrow.array(column):
        with binlog.Writer(tmp_path / "out.bin", made(log)) as writer:
            writer.write_columns("FILE", {"Data": values})
        assert binlog.open(tmp_path / "out.bin")["FILE"]["Data"].to_list() == data


def test_metadata_is_true_for_the_numbers(made):
    log = FMT + definition(DEMO, 13, "DEMO", "Qc", "TimeUS,Roll") + record(DEMO, second(1) + struct.pack("<h", 150))
    log += definition(15, 44, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds")
    log += definition(16, 20, "MULT", "Qbd", "TimeUS,Id,Mult") + definition(17, 76, "UNIT", "QbZ", "TimeUS,Id,Label")
    for number, factor in (ord("B"), 0.01), (ord("F"), 1e-6):
        log += record(16, second(0) + struct.pack("<bd", number, factor))
    for number, unit in (ord("d"), "deg"), (ord("s"), "s"):
        log += record(17, second(0) + bytes([number]) + text(unit, 64))
    log += record(15, second(0) + bytes([DEMO]) + text("sd", 16) + text("FB", 16))
    for scaling, roll, fields in (
        ("shown", 1.5, [{b"unit": "µs".encode()}, {b"unit": b"deg"}]),
        ("units", 1.5, [{b"unit": b"s"}, {b"unit": b"deg"}]),
        ("stored", 150, [{b"unit": "µs".encode()}, {b"unit": b"deg", b"scale": b"0.01"}]),
    ):
        table = made(log, scaling=scaling)["DEMO"]
        assert [field.metadata for field in pyarrow.table(table).schema] == fields, scaling
        assert (table["Roll"][0], table["Roll"].multiplier) == (roll, 0.01)
        assert pickle.loads(pickle.dumps(table["Roll"])).scale == table["Roll"].scale


def of_worker(path):
    log = binlog.open(path)
    one = list(log.records("DEMO"))[2]
    return log.slice(3, 5), log["DEMO"]["time"], log["MSG"]["Message"], one, log.modes, log.messages, log.damage


def test_other_processes_return_what_they_found(made, tmp_path, monkeypatch):
    log = made(boot([(1, 0), (4, 3)]) + b"lost")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        part, numbers, texts, one, *facts = pool.apply(of_worker, [tmp_path / "made.bin"])
    assert (part["DEMO"]["time"].to_list(), part.duration) == ([3, 4], 2.0)
    assert numbers.to_list() == list(range(1, 10)) and pyarrow.array(numbers).type == pyarrow.uint8()
    assert texts.to_list() == log["MSG"]["Message"].to_list()
    assert (one.get_type(), one.time, one["time"]) == ("DEMO", 3.0, 3)
    assert facts == [log.modes, log.messages, log.damage] and len(log.damage) > 0
    # Values need no log, a log needs its file.
    monkeypatch.chdir(tmp_path)
    pickled = pickle.dumps([binlog.open("made.bin", scaling="units"), numbers, one])
    monkeypatch.chdir("/")
    again, numbers, one = pickle.loads(pickled)
    assert again["DEMO"]["TimeUS"][0] == 1.0
    (tmp_path / "made.bin").unlink()
    with pytest.raises(FileNotFoundError, match="made.bin"):
        pickle.loads(pickled)
    for what in log["DEMO"], log.records():
        with pytest.raises(TypeError, match="pickle"):
            pickle.dumps(what)
    for what in log, log["DEMO"], numbers, one:
        assert copy.copy(what) is what and copy.deepcopy(what) is what


@needs_flight
def test_each_value_of_a_record_pickles():
    log = binlog.open(FLIGHT)
    for name in log:
        one = next(log.records(name))
        again = pickle.loads(pickle.dumps(one))
        assert repr(again) == repr(one) and again.get_fieldnames() == one.get_fieldnames()


def test_errors_are_python_s(made, tmp_path):
    log = made(boot([(1, 0)]))
    with pytest.raises(FileNotFoundError) as error:
        binlog.open(tmp_path / "none.bin")
    assert (error.value.errno, error.value.filename) == (errno.ENOENT, str(tmp_path / "none.bin"))
    with pytest.raises(IsADirectoryError) as error:
        binlog.open(tmp_path)
    assert (error.value.errno, error.value.filename) == (errno.EISDIR, str(tmp_path))
    for write in (lambda path: binlog.Writer(path, []), lambda path: binlog.Writer(tmp_path / "out.bin", path)):
        with pytest.raises(FileNotFoundError) as error:
            write(tmp_path / "none" / "none.bin")
        assert (error.value.errno, error.value.filename) == (errno.ENOENT, str(tmp_path / "none" / "none.bin"))
    with pytest.raises(OSError, match="without map=True"):
        binlog.open("/dev/null", map=True)
    (tmp_path / "\x1b[31m.bin").write_text("TimeUS,Roll")
    with pytest.raises(OSError, match=r"\\u\{1b\}\[31m.bin: neither an ArduPilot log"):
        binlog.open(tmp_path / "\x1b[31m.bin")
    texts = []
    for name in "NONE", "DEMO.none", "DEMO[1]", "DEMO[", "", ".", "a.b.c", "DEMO.", "PARM[1].x":
        with pytest.raises(KeyError) as error:
            log[name]
        texts.append(str(error.value))
        with pytest.raises(KeyError) as error:
            log.records(name)
        texts.append(str(error.value))
    assert all("::" not in text and not text.endswith("it has ") for text in texts), texts


def test_a_session_is_a_mapping():
    path = os.environ.get("BINLOG_TEST_BLACKBOX", "").split(os.pathsep)[0]
    if not path:
        pytest.skip("needs BINLOG_TEST_BLACKBOX, whose first log is the simulator's")
    log = binlog.open(path)
    session = log.sessions[0]
    assert "24000 main" in log._repr_html_() and "24000" in session._repr_html_() and "1 session>" in repr(log)
    assert session.get("main").columns == session["main"].columns and session.get("none") is None
    with pytest.raises(KeyError, match="did you mean `main`"):
        session["mian"]
    with pytest.raises(TypeError, match=r"nothing at \[0\]"):
        session[0]
    with pytest.raises(TypeError, match="numpy.asarray"):
        numpy.asarray(session)
    assert pickle.loads(pickle.dumps(session))["main"]["time"].to_list() == session["main"]["time"].to_list()
    assert pickle.loads(pickle.dumps(log)).sessions[0].header == session.header


@needs_flight
def test_each_line_of_a_session_in_python_works():
    pl, duckdb = pytest.importorskip("polars"), pytest.importorskip("duckdb")
    np, pa, con = numpy, pyarrow, duckdb.connect()
    assert re.fullmatch(r"\d+\.\d+\.\d+", binlog.__version__)
    log = binlog.open("flight.bin", scaling="shown")
    assert log.vehicle and log.params and log.modes and log.messages and log.damage == [] and log.start
    att = log["ATT"]
    assert att.columns and att.units["Roll"] == "deg" and len(att) == 24_000
    roll = np.asarray(att["Roll"])
    assert pl.DataFrame(att).shape == pa.table(att).shape == (24_000, 10)
    assert att[["TimeUS", "Roll"]].columns == ["TimeUS", "Roll"]
    assert log["IMU"].instances == [0, 1] and len(log["IMU"][1]) == len(log["IMU[1].GyrX"]) == 24_000
    assert log["MODE"]["Mode"].names[3] == "AUTO"
    assert duckdb.sql("SELECT avg(Roll) FROM att").fetchall()[0][0] == pytest.approx(roll.mean())
    log.register(con)
    assert con.sql("SELECT count(*) FROM GPS").fetchall()[0][0] == len(log["GPS"])
    for m in log.records("ATT", "GPS"):
        if m.get_type() == "ATT":
            assert m.Roll == m["Roll"] == m.to_dict()["Roll"] == roll[0]
            break
    assert log.slice(10, 20).duration == 10 and log.mode("AUTO").duration > 0 and log.armed().duration > 0


def test_records_of_a_list_are_those_of_its_types(made):
    log = FMT + definition(1, 15, "DEMO", "Qi", "TimeUS,X") + definition(2, 15, "TWO", "Qi", "TimeUS,Y")
    log = made(log + record(1, struct.pack("<Qi", 1, 1)) + record(2, struct.pack("<Qi", 2, 2)))
    names = lambda *types: [record.get_type() for record in log.records(*types)]
    assert names(["DEMO", "TWO"]) == names("DEMO", "TWO") == ["DEMO", "TWO"]
    assert names([name for name in ("ERR", "TWO") if name in log]) == ["TWO"]
    assert names([]) == names(()) == []
    for wrong in (1, [1], ["DEMO", None], None):
        with pytest.raises(TypeError, match="records takes names of types"):
            log.records(wrong)


def test_a_log_says_what_takes_the_place_of_pymavlinks_methods(made):
    log = made(FMT)
    for name, hint in [("recv_match", "log.records"), ("flightmode", "log.modes"), ("param", "log.params")]:
        with pytest.raises(AttributeError, match=f"`{name}`; .*{hint}"):
            getattr(log, name)
    with pytest.raises(AttributeError, match="a log has no attribute `other`$"):
        log.other
    assert not hasattr(log, "__array_interface__")


def test_a_boot_beyond_pythons_years_is_unknown(made):
    fields = struct.pack("<QBHI", 1 << 62, 3, 2300, 0)
    log = made(FMT + definition(1, 3 + len(fields), "GPS", "QBHI", "TimeUS,Status,GWk,GMS") + record(1, fields))
    assert log.boot is None and (log.start is None or log.start.year > 2000)


def test_a_part_has_times(made):
    log = made(FMT)
    for start, end in [(math.nan, 1), (0, math.nan)]:
        with pytest.raises(ValueError, match="not NaN"):
            log.slice(start, end)


def test_records_that_somebody_keeps_stay_as_they_are(made):
    numbers = list(range(200))
    log = FMT + definition(1, 15, "DEMO", "Qi", "TimeUS,X") + definition(2, 15, "TWO", "Qi", "TimeUS,Y")
    log += b"".join(record(1, struct.pack("<Qi", 1000 * number, number)) for number in numbers)
    log += b"".join(record(2, struct.pack("<Qi", 1, number)) for number in numbers[:100])
    log = made(log)
    assert [record.X for record in log.records("DEMO")] == numbers
    assert [record.X for record in list(log.records("DEMO"))] == numbers
    records, kept = log.records("DEMO", "TWO"), []
    for place, record_ in enumerate(records):
        if place % 3 == 0 or place % 7 == 0:
            kept.append((place, record_))
    assert all((r.X if place < 200 else r.Y + 200) == place for place, r in kept)
    assert [kept.get_type() for _, kept in kept].count("TWO") == sum(n % 3 == 0 or n % 7 == 0 for n in range(200, 300))
    # The one of the loop before is there still.
    before = None
    for record_ in log.records("DEMO"):
        assert before is None or (before.X + 1, before.time + 0.001) == pytest.approx((record_.X, record_.time))
        before = record_
    # Two at a time, and one after its loop.
    records = log.records("DEMO")
    assert [(a.X, b.X) for a, b in zip(records, records)] == list(zip(numbers[::2], numbers[1::2]))
    last = record_
    del log, records, record_, before
    assert last.X == 199 and last.to_dict()["X"] == 199
