"""What `binlog.fleet` does with logs that differ, that can't be read, and that are there twice."""

import errno
import os
import pathlib
import signal
import struct
import subprocess
import sys

import binlog
import pytest
from made import FMT, definition, record

LOGS = [pathlib.Path(path) for path in os.environ.get("BINLOG_TEST_LOGS", "").split(os.pathsep) if path]
pyarrow = pytest.importorskip("pyarrow")

UNITS = definition(130, 44, "FMTU", "QBNN", "TimeUS,FmtType,UnitIds,MultIds")
UNITS += definition(131, 76, "UNIT", "QbZ", "TimeUS,Id,Label") + definition(132, 20, "MULT", "Qbd", "TimeUS,Id,Mult")


def demo(value, unit=None, labels="TimeUS,X", multiplier=b"-"):
    """A log of one record; `unit` is its name, and None for old firmware, which says none."""
    log = FMT + definition(1, 15, "DEMO", "Qi", labels)
    if unit is not None:
        log += UNITS + record(131, bytes(8) + b"x" + unit.encode().ljust(64, b"\0"))
        log += record(131, bytes(8) + b"s" + b"s".ljust(64, b"\0"))
        for name, factor in (b"B", 1e-2), (b"F", 1e-6):
            log += record(132, bytes(8) + name + struct.pack("<d", factor))
        log += record(130, bytes(8) + b"\x01" + b"sx".ljust(16, b"\0") + (b"F" + multiplier).ljust(16, b"\0"))
    return log + record(1, (5).to_bytes(8, "little") + value.to_bytes(4, "little", signed=True))


def rows(*arguments, **options):
    return pyarrow.table(binlog.fleet(*arguments, **options)).to_pylist()


def test_a_fleet_is_the_union_of_its_logs(tmp_path):
    (tmp_path / "2021").mkdir()
    old = FMT + definition(1, 13, "DEMO", "Qh", "TimeUS,X") + record(1, (5).to_bytes(8, "little") + b"\x07\x00")
    new = FMT + definition(1, 17, "DEMO", "QiH", "TimeUS,X,Y")
    new += record(1, (6).to_bytes(8, "little") + (70_000).to_bytes(4, "little") + b"\x09\x00")
    (tmp_path / "2021" / "a.BIN").write_bytes(old)
    (tmp_path / "b.bin").write_bytes(new)
    (tmp_path / "c.bin").write_bytes(FMT)
    (tmp_path / "empty.bin").write_bytes(b"")
    (tmp_path / "notes.txt").write_text("not a log")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    logs = binlog.fleet(tmp_path, "DEMO")
    assert logs.logs == ["2021/a.BIN", "b.bin", "c.bin"] and logs.columns == ["log_id", "session", "TimeUS", "X", "Y"]
    rows = pyarrow.table(logs).to_pylist()
    assert rows == [
        {"log_id": "2021/a.BIN", "session": 1, "TimeUS": 5, "X": 7, "Y": None},
        {"log_id": "b.bin", "session": 1, "TimeUS": 6, "X": 70_000, "Y": 9},
    ]
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("SELECT sum(X), count(Y) FROM logs").fetchall() == [(70_007, 1)]
    assert pyarrow.table(binlog.fleet([tmp_path / "b.bin"], "DEMO", columns=["Y"])).column_names == ["log_id", "Y"]
    with pytest.raises(KeyError, match="no log has a column `Z`"):
        binlog.fleet(tmp_path, "DEMO", columns=["Z"])
    with pytest.raises(KeyError, match="no log has a record of NONE; they have DEMO, FMT"):
        binlog.fleet(tmp_path, "NONE")
    text = FMT + definition(1, 15, "DEMO", "Qn", "TimeUS,X") + record(1, (5).to_bytes(8, "little") + b"text")
    (tmp_path / "d.bin").write_bytes(text)
    with pytest.raises(ValueError, match="DEMO.X has numbers in .*, and texts in d.bin"):
        binlog.fleet(tmp_path, "DEMO")
    # A log that goes while it is read is an error of the stream.
    (tmp_path / "d.bin").unlink()
    logs = binlog.fleet(tmp_path, "DEMO")
    (tmp_path / "b.bin").unlink()
    with pytest.raises(Exception, match="b.bin"):
        pyarrow.table(logs)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_fleet_of_one_log_has_its_values(path):
    for name, table in binlog.open(path).items():
        one = pyarrow.table(binlog.fleet(path, name)).drop_columns(["log_id", "session"])
        # As texts, since NaN isn't equal to itself.
        assert repr(one.to_pydict()) == repr(pyarrow.table(table).to_pydict()), name


def test_boots_and_sessions_of_a_log_are_told_apart(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(1) + demo(2))
    both = [{"log_id": "a.bin", "session": 1, "X": 1}, {"log_id": "a.bin", "session": 2, "X": 2}]
    assert rows(tmp_path, "DEMO", columns=["session", "X"]) == both
    assert rows(tmp_path, "DEMO", columns=["X"]) == [{"log_id": "a.bin", "X": 1}, {"log_id": "a.bin", "X": 2}]
    # The second boot has the units of the first one, with its session or without.
    (tmp_path / "a.bin").write_bytes(demo(1, "m", multiplier=b"B") + demo(2))
    for columns in (None, ["X"], ["session", "X"]):
        assert [row["X"] for row in rows(tmp_path, "DEMO", columns=columns, scaling="units")] == [0.01, 0.02], columns
    (tmp_path / "a.bin").write_bytes(demo(7, labels="Session,session_"))
    assert rows(tmp_path, "DEMO") == [{"log_id": "a.bin", "session": 1, "Session_": 5, "session__": 7}]
    (tmp_path / "a.bin").unlink()
    for path in filter(None, os.environ.get("BINLOG_TEST_BLACKBOX", "").split(os.pathsep)):
        (tmp_path / "b.bbl").write_bytes(pathlib.Path(path).read_bytes() * 2)
        frames = [len(session["main"]) for session in binlog.open(tmp_path / "b.bbl").sessions if "main" in session]
        column = pyarrow.table(binlog.fleet(tmp_path / "b.bbl", "main", columns=["session"]))["session"].to_pylist()
        counts = [column.count(number) for number in sorted(set(column))]
        assert len(counts) > 1 and counts == [count for count in frames if count]


@pytest.mark.parametrize("unit", [None, "", "UNKNOWN"])
def test_a_log_that_says_no_unit_joins_those_that_do(tmp_path, unit):
    for names in (("a.bin", "b.bin"), ("b.bin", "a.bin")):
        (tmp_path / names[0]).write_bytes(demo(1, unit))
        (tmp_path / names[1]).write_bytes(demo(2, "deg"))
        logs = binlog.fleet(tmp_path, "DEMO")
        assert logs.units["X"] == "deg"
        assert sorted(row["X"] for row in pyarrow.table(logs).to_pylist()) == [1, 2]


def test_units_that_differ_are_an_error_that_names_both_logs(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(1))
    (tmp_path / "b.bin").write_bytes(demo(2, "m"))
    (tmp_path / "c.bin").write_bytes(demo(300, "m", multiplier=b"B"))
    with pytest.raises(ValueError, match="unit m in b.bin, and the unit cm in c.bin; scaling=\"units\" converts"):
        binlog.fleet(tmp_path, "DEMO")
    both = [tmp_path / "b.bin", tmp_path / "c.bin"]
    assert [row["X"] for row in rows(both, "DEMO", scaling="units")] == [2, 3]
    # Without a unit, nobody knows whether they are centimeters.
    with pytest.raises(ValueError, match="unit m in .*c.bin, and no unit in .*a.bin"):
        binlog.fleet([tmp_path / "c.bin", tmp_path / "a.bin"], "DEMO", scaling="units")
    (tmp_path / "d.bin").write_bytes(demo(4, "rad"))
    with pytest.raises(ValueError, match="the unit m in b.bin, and the unit rad in d.bin"):
        (tmp_path / "c.bin").unlink()
        binlog.fleet(tmp_path, "DEMO")
    logs = binlog.fleet(tmp_path, "DEMO", on_error="skip")
    assert logs.logs == ["a.bin", "b.bin"] and "the unit rad in d.bin" in logs.skipped["d.bin"]


def test_a_log_that_cant_be_read_is_named_or_listed(tmp_path):
    (tmp_path / "in").mkdir()
    for name in "a.bin", "in/c.bin":
        (tmp_path / name).write_bytes(demo(1))
    (tmp_path / "b.bin").write_text("no log")
    (tmp_path / "empty.bin").touch()
    (tmp_path / "notes.txt").write_text("no log either, and nobody says so")
    # ArduPilot's own, which isn't worth a word.
    (tmp_path / "LASTLOG.TXT").write_text("7\r\n")
    with pytest.raises(OSError, match="b.bin: neither an ArduPilot log"):
        binlog.fleet(tmp_path, "DEMO")
    logs = binlog.fleet(tmp_path, "DEMO", on_error="skip")
    assert logs.logs == ["a.bin", "in/c.bin"] and len(pyarrow.table(logs)) == 2
    assert {name: reason.split(": ")[-1][:7] for name, reason in logs.skipped.items()} == {
        "b.bin": "no defi", "empty.bin": "it is e", "notes.txt": "no defi",
    }
    # What goes while it is read is listed, too.
    (tmp_path / "in" / "c.bin").unlink()
    assert len(pyarrow.table(logs)) == 1 and "c.bin" in logs.skipped["in/c.bin"]
    (tmp_path / "b.bin").unlink()
    assert sorted(binlog.fleet(tmp_path, "DEMO").skipped) == ["empty.bin", "notes.txt"]
    (tmp_path / "gone.bin").symlink_to(tmp_path / "none")
    with pytest.raises(FileNotFoundError, match="gone.bin"):
        binlog.fleet(tmp_path, "DEMO")
    assert "gone.bin" in binlog.fleet(tmp_path, "DEMO", on_error="skip").skipped
    with pytest.raises(FileNotFoundError, match="nowhere"):
        binlog.fleet(tmp_path / "nowhere", "DEMO")
    (tmp_path / "nothing").mkdir()
    with pytest.raises(FileNotFoundError, match="no log in .*nothing"):
        binlog.fleet(tmp_path / "nothing", "DEMO")
    with pytest.raises(ValueError, match="on_error"):
        binlog.fleet(tmp_path, "DEMO", on_error="ignore")


def test_logs_are_read_for_their_columns_until_they_change(tmp_path):
    path, then = tmp_path / "a.bin", 1_700_000_000
    path.write_bytes(demo(1))
    os.utime(path, (then, then))
    assert binlog.fleet(tmp_path, "DEMO").columns == ["log_id", "session", "TimeUS", "X"]
    # Nobody writes a log of the same length and time; here it shows what is read.
    path.write_bytes(demo(1, labels="TimeUS,Y"))
    os.utime(path, (then, then))
    assert binlog.fleet(tmp_path, "DEMO").columns == ["log_id", "session", "TimeUS", "X"]
    os.utime(path, (then, then + 1))
    assert binlog.fleet(tmp_path, "DEMO").columns == ["log_id", "session", "TimeUS", "Y"]
    assert binlog.fleet(tmp_path, "DEMO", scaling="stored").columns == ["log_id", "session", "TimeUS", "Y"]
    # What has just changed may change again, without another time.
    path.write_bytes(demo(1))
    for labels in ("TimeUS,X", "TimeUS,Z"):
        now = os.stat(path).st_mtime_ns
        path.write_bytes(demo(1, labels=labels))
        os.utime(path, ns=(now, now))
        assert binlog.fleet(tmp_path, "DEMO").columns[-1] == labels[-1]


def test_a_name_that_no_log_has_is_a_key_error_that_helps(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(1))
    (tmp_path / "b.bin").write_bytes(demo(1, labels="TimeUS,Yaw"))
    with pytest.raises(KeyError, match="no log has a record of demo; did you mean `DEMO`"):
        binlog.fleet(tmp_path, "demo")
    with pytest.raises(KeyError, match="no log has a column `yaw` in DEMO; did you mean `Yaw`"):
        binlog.fleet(tmp_path, "DEMO", columns=["X", "yaw"])
    with pytest.raises(KeyError, match="no log has a column `Z` in DEMO; they have TimeUS, X, Yaw, log_id, session"):
        binlog.fleet(tmp_path, "DEMO", columns=["Z"])


def test_a_field_that_is_called_log_id_has_another_name(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(7, labels="Log_ID,log_id_"))
    assert rows(tmp_path, "DEMO") == [{"log_id": "a.bin", "session": 1, "Log_ID_": 5, "log_id__": 7}]
    assert rows(tmp_path, "DEMO", columns=["log_id", "log_id__"]) == [{"log_id": "a.bin", "log_id__": 7}]


def test_each_file_is_there_once(tmp_path):
    path = tmp_path / "logs" / "b.bin"
    path.parent.mkdir()
    path.write_bytes(demo(7))
    (tmp_path / "logs" / "a.bin").symlink_to(path)
    os.link(path, tmp_path / "logs" / "c.bin")
    assert binlog.fleet(tmp_path / "logs", "DEMO").logs == ["b.bin"]
    assert len(rows([path, path, path.parent], "DEMO")) == 1
    # Ids of several folders differ.
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "b.bin").write_bytes(demo(8))
    ids = binlog.fleet([path.parent, tmp_path / "more"], "DEMO").logs
    assert [os.path.relpath(log, tmp_path) for log in ids] == ["logs/b.bin", "more/b.bin"]


def test_a_notebook_shows_the_columns_and_what_is_skipped(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(1, "<deg>"))
    (tmp_path / "<b>.bin").write_text("no log")
    html = binlog.fleet(tmp_path, "DEMO", on_error="skip")._repr_html_()
    assert "&lt;deg&gt;" in html and "&lt;b&gt;.bin" in html and "<b>" not in html
    assert "DEMO of 1 log, 1 skipped" in html
    assert repr(binlog.fleet(tmp_path, "DEMO", on_error="skip")) == "<DEMO of 1 log, 1 skipped: log_id, session, TimeUS, X>"


def test_arguments_that_are_no_paths_or_names_say_what_is(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(1))
    for columns in "X", b"X", 3, [3], [b"X"], ["X", None]:
        with pytest.raises(TypeError, match=r'columns is a list of names: columns=\["Roll"\], not '):
            binlog.fleet(tmp_path, "DEMO", columns=columns)
    for logs in 3, None, b"logs/", [3], [tmp_path, None], {tmp_path: 1}.values():
        with pytest.raises(TypeError, match='logs is a path, or a list of paths: "logs/", .*, not '):
            binlog.fleet(logs, "DEMO")
    # Anything else that has items is taken, too.
    for logs in tmp_path.glob("*.bin"), (str(tmp_path / "a.bin"),), {tmp_path / "a.bin"}:
        columns = (name for name in ["X"])
        assert binlog.fleet(logs, "DEMO", columns=columns).columns == ["log_id", "X"]
    with pytest.raises(ZeroDivisionError):
        binlog.fleet((tmp_path / str(1 / zero) for zero in [0]), "DEMO")
    with pytest.raises(ValueError, match="the list of them is empty"):
        binlog.fleet([], "DEMO")
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError, match="pyarrow.table"):
        numpy.asarray(binlog.fleet(tmp_path, "DEMO"))


def test_errors_of_files_have_their_number_and_name(tmp_path):
    (tmp_path / "a.bin").write_bytes(demo(1))
    gone = tmp_path / "gone.bin"
    gone.symlink_to(tmp_path / "none")
    nowhere = tmp_path / "nowhere"
    for logs, path in (tmp_path, gone), (nowhere, nowhere), ([tmp_path / "a.bin", gone], gone):
        with pytest.raises(FileNotFoundError) as error:
            binlog.fleet(logs, "DEMO")
        assert (error.value.errno, error.value.filename) == (errno.ENOENT, str(path))
    gone.unlink()
    if hasattr(os, "getuid") and os.getuid():
        (tmp_path / "a.bin").chmod(0)
        with pytest.raises(PermissionError) as error:
            binlog.fleet(tmp_path, "DEMO")
        assert (error.value.errno, error.value.filename) == (errno.EACCES, str(tmp_path / "a.bin"))


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_names_in_errors_are_on_one_line_and_escaped(tmp_path):
    bad = tmp_path / "\x1b[31m\n.bin"
    bad.write_text("no log")
    (tmp_path / "a.bin").write_bytes(demo(1))
    (tmp_path / "deg.bin").write_bytes(demo(1, "deg"))
    errors = []
    for work in (
        lambda: binlog.fleet(tmp_path, "DEMO"),
        lambda: binlog.fleet(tmp_path / "\x1b", "DEMO"),
        lambda: binlog.fleet(bad, "DEMO", on_error="skip"),
        lambda: binlog.fleet(tmp_path / "a.bin", "\x1b[31m"),
        lambda: binlog.fleet(tmp_path / "a.bin", "DEMO", columns=["\x1b[31m"]),
        lambda: (bad.write_bytes(demo(1, "m")), binlog.fleet([tmp_path / "deg.bin", bad], "DEMO")),
    ):
        with pytest.raises((OSError, KeyError, ValueError)) as error:
            work()
        errors.append(str(error.value))
    assert all("\x1b" not in text and "\n" not in text and "1b" in text for text in errors), errors
    (tmp_path / "a.bin").write_bytes(demo(1, labels="TimeUS,\x1b[31m"))
    assert "\x1b" not in repr(binlog.fleet(tmp_path / "a.bin", "DEMO"))


def test_an_error_without_a_log_says_what_was_left_out(tmp_path):
    for number in range(6):
        (tmp_path / f"{number}.bin").touch()
    with pytest.raises(FileNotFoundError, match=r"no log can be read; left out: 0.bin \(it is empty\), .* and 2 more"):
        binlog.fleet(tmp_path, "DEMO")
    (tmp_path / "0.bin").write_text("no log")
    with pytest.raises(FileNotFoundError, match=r"left out: .*0.bin \(.*neither an ArduPilot log"):
        binlog.fleet(tmp_path / "0.bin", "DEMO", on_error="skip")


@pytest.mark.skipif(sys.platform != "linux", reason="the size of a thread's memory is an error on Linux")
def test_a_fleet_needs_no_thread_but_its_own(tmp_path):
    for name in range(8):
        (tmp_path / f"{name}.bin").write_bytes(demo(name))
    code = "import binlog, sys; print(len(binlog.fleet(sys.argv[1], 'DEMO').logs))"
    # No thread has room for a stack of 256 TiB, so that none starts.
    environment = {**os.environ, "RUST_MIN_STACK": str(1 << 48)}
    found = subprocess.run([sys.executable, "-c", code, tmp_path], env=environment, capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (0, "8\n", "")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timer")
def test_a_signal_ends_the_search_for_columns(tmp_path, interrupt):
    for name in range(64):
        with open(tmp_path / f"{name:02}.bin", "wb") as file:
            file.write(demo(1))
            # A hole, which takes no room on the disk, and time to read.
            file.truncate(32 << 20)
    # Without a signal, this would be an error in the end.
    (tmp_path / "last.bin").write_text("no log")
    with interrupt(0.02) as interrupted:
        binlog.fleet(tmp_path, "DEMO")
    assert interrupted.value.__context__ is None


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timer")
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_signal_ends_a_stream(tmp_path, interrupt, on_error):
    for name in range(64):
        (tmp_path / f"{name:02}.bin").write_bytes(demo(1))
    fleet = binlog.fleet(tmp_path, "DEMO", on_error=on_error)
    for path in tmp_path.iterdir():
        os.truncate(path, 32 << 20)
    # pyarrow makes an error of its own from the text.
    with interrupt(0.02, OSError) as interrupted:
        pyarrow.table(fleet)
    assert "a signal ended it: " in str(interrupted.value) and "Interrupted" in str(interrupted.value)
    assert fleet.skipped == {}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timer")
def test_ctrl_c_in_a_stream_is_no_error_of_a_log(tmp_path):
    for name in range(64):
        (tmp_path / f"{name:02}.bin").write_bytes(demo(1))
    fleet = binlog.fleet(tmp_path, "DEMO")
    for path in tmp_path.iterdir():
        os.truncate(path, 32 << 20)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        with pytest.raises(KeyboardInterrupt):
            while True:
                try:
                    pyarrow.table(fleet)
                except OSError as error:
                    assert "a signal ended it: KeyboardInterrupt" in str(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
