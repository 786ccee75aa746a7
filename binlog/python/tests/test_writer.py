"""A log that is written has the values that it was given, or says why it can't."""

import array
import enum
import gc
import math
import os
import pathlib
import random
import shlex
import struct
import subprocess
import threading
from dataclasses import dataclass, make_dataclass
from typing import Annotated

import binlog
import pytest
from binlog import Field

LOGS = [pathlib.Path(path) for path in os.environ.get("BINLOG_TEST_LOGS", "").split(os.pathsep) if path]
PROGRAM = shlex.split(os.environ.get("BINLOG_PROGRAM", ""))
numpy = pytest.importorskip("numpy")
DEFINING = "FMT", "FMTU", "UNIT", "MULT"


class Phase(enum.IntEnum):
    PAD = 0
    BOOST = 1


class Flags(enum.IntFlag):
    ARMED = 1
    LANDED = 4


@dataclass
class ATT:
    """Vehicle attitude."""

    TimeUS: int
    Roll: Annotated[float, Field("c", unit="deg", description='Roll, "right" is positive.')]
    Yaw: Annotated[float, Field("f", unit="deg")]


@dataclass
class ENG:
    TimeUS: int
    I: Annotated[int, Field("B", instance=True)]  # noqa: E741
    Ph: Annotated[Phase, Field("B")]
    Fl: Annotated[Flags, Field("H")]
    Mag: Annotated[float, Field("f", unit="T=uT")]
    Name: Annotated[str, Field("N")]
    Lat: Annotated[float, Field("L", unit="deglatitude")]


def equal(one, other):
    if isinstance(one, float) and isinstance(other, float):
        return one == other or math.isnan(one) and math.isnan(other)
    return one == other


def same(one, other):
    return len(one) == len(other) and all(map(equal, one, other))


def copy(log, path, schema=None, **options):
    with binlog.Writer(path, log if schema is None else schema, **options) as writer:
        for name, table in log.items():
            if name not in DEFINING:
                writer.write_columns(name, table)
    return binlog.open(path)


def check(path):
    if PROGRAM:
        found = subprocess.run([*PROGRAM, "check", str(path)], capture_output=True, text=True)
        assert (found.stdout + found.stderr).strip().endswith("nothing found"), found.stdout + found.stderr


def vehicle(writer):
    """What viewers want of a log."""
    writer.write("MSG", TimeUS=0, ID=0, Seq=0, Message="ArduCopter V4.6.0")
    writer.write("PARM", TimeUS=0, Name="FRAME_CLASS", Value=1.0, Default=math.nan)


@pytest.mark.parametrize("scaling", ["shown", "stored"])
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_a_copy_has_the_values_of_the_log(path, scaling, tmp_path):
    log = binlog.open(path)
    copied = copy(log, tmp_path / "copy.bin", scaling=scaling)
    assert not copied.damage
    for name, table in log.items():
        if name not in DEFINING:
            values = copied[name].to_dict()
            assert copied[name].units == table.units and list(values) == table.columns
            assert all(same(values[label], column) for label, column in table.to_dict().items()), name


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_columns_are_taken_from_each_package(path, tmp_path):
    pyarrow, polars = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    pandas, duckdb = pytest.importorskip("pandas"), pytest.importorskip("duckdb")
    log = binlog.open(path)
    chosen = [(name, table) for name, table in log.items() if name not in DEFINING]
    packages = {
        "pyarrow": lambda table: pyarrow.table(table),
        "batch": lambda table: pyarrow.table(table).combine_chunks().to_batches()[0],
        "polars": lambda table: polars.DataFrame(table),
        "pandas": lambda table: pandas.DataFrame(table.to_dict()),
        "duckdb": lambda records: duckdb.sql("SELECT * FROM records").to_arrow_table(),
        "arrays": lambda table: {label: column for label, column in table.items()},
        "numpy": lambda table: {
            label: numpy.asarray(column) if hasattr(column, "__array_interface__") else column.to_list()
            for label, column in table.items()
        },
        "series": lambda table: {label: polars.Series(column) for label, column in table.items()},
        "pandas series": lambda table: {label: pandas.Series(column.to_list()) for label, column in table.items()},
        "chunks": lambda table: {label: pyarrow.chunked_array([pyarrow.array(column)]) for label, column in table.items()},
        "lists": lambda table: table.to_dict(),
    }
    for package, convert in packages.items():
        with binlog.Writer(tmp_path / "copy.bin", log) as writer:
            for name, table in chosen:
                writer.write_columns(name, convert(table))
        copied = binlog.open(tmp_path / "copy.bin")
        for name, table in chosen:
            values = copied[name].to_dict()
            assert all(same(values[label], column) for label, column in table.to_dict().items()), (package, name)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_records_written_one_by_one_are_those_of_the_log(path, tmp_path):
    log, count = binlog.open(path), 0
    with binlog.Writer(tmp_path / "copy.bin", log) as writer:
        for record in log.records():
            if record.get_type() in DEFINING:
                continue
            values = record.to_dict()
            del values["mavpackettype"]
            writer.write(record.get_type(), **values)
            count += 1
            if count == 20_000:
                break
    assert sum(len(table) for name, table in binlog.open(tmp_path / "copy.bin").items() if name not in DEFINING) == count


def test_dataclasses_are_types_of_the_log(tmp_path):
    path = tmp_path / "out.bin"
    with binlog.Writer(path, [ATT, ENG]) as writer:
        vehicle(writer)
        writer.write(ATT(10, 1.555, 90.5))
        writer.write("ATT", TimeUS=20, Roll=-3, Yaw=numpy.float32(0.5))
        writer.write(ENG(5, 1, Phase.BOOST, Flags.ARMED | Flags.LANDED, 2.5, "µ", -35.3632621))
    log = binlog.open(path)
    assert log["ATT"].to_dict() == {"TimeUS": [10, 20], "Roll": [1.56, -3.0], "Yaw": [90.5, 0.5]}
    assert log["ENG"][1].to_dict() == {
        "TimeUS": [5], "I": [1], "Ph": [1], "Fl": [5], "Mag": [2.5], "Name": ["µ"], "Lat": [-35.3632621],
    }
    assert log["ATT"].units == {"TimeUS": "µs", "Roll": "deg", "Yaw": "deg"} and log["ENG"].units["Mag"] == "uT"
    assert log["ATT"].description == "Vehicle attitude."
    assert log["ATT"]["Roll"].description == 'Roll, "right" is positive.'
    assert log["ENG"]["Ph"].names == {0: "PAD", 1: "BOOST"} and log["ENG"]["Fl"].bits == {0: "ARMED", 2: "LANDED"}
    assert log.vehicle == "Copter" and log.params == {"FRAME_CLASS": 1.0} and not log.damage
    check(path)


RANGES = {
    "b": (-128, 127), "B": (0, 255), "M": (0, 127), "h": (-(2**15), 2**15 - 1), "H": (0, 2**16 - 1),
    "i": (-(2**31), 2**31 - 1), "I": (0, 2**32 - 1), "q": (-(2**63), 2**63 - 1), "Q": (0, 2**64 - 1),
    "c": (-(2**15), 2**15 - 1), "C": (0, 2**16 - 1), "e": (-(2**31), 2**31 - 1), "E": (0, 2**32 - 1),
    "L": (-(2**31), 2**31 - 1),
}  # fmt: skip
FACTORS = {"c": 100, "C": 100, "e": 100, "E": 100, "L": 1e7}
WIDTHS = {"n": 4, "N": 16, "Z": 64}
UNITS = ["", "m", "deg", "m/s", "V", "T=uT", 'Z="q', "j=N m"]


def random_field(chance, length):
    """A format for a column of at most this length, with its character."""
    character = chance.choice([c for c in "bBMhHiIqQcCeELfdnNZa" if struct.calcsize("<" + SIZES[c]) <= length])
    unit = "deglatitude" if character == "L" else "" if character in WIDTHS else chance.choice(UNITS)
    multiplier = chance.choice([None, 1e-3, "K=0.5"]) if character in "hHiI" and unit else None
    return Field(character, unit=unit, multiplier=multiplier, description=chance.choice(["", 'a "b"\\\n c µ'])), character


SIZES = {
    "b": "b", "B": "B", "M": "B", "h": "h", "H": "H", "i": "i", "I": "I", "q": "q", "Q": "Q", "c": "h", "C": "H",
    "e": "i", "E": "I", "L": "i", "f": "f", "d": "d", "n": "4s", "N": "16s", "Z": "64s", "a": "64s",
}  # fmt: skip


def random_value(chance, character):
    if character in RANGES:
        low, high = RANGES[character]
        stored = chance.choice([low, high, 0, chance.randint(low, high)])
        if character == "L":
            stored //= 3
        return stored / FACTORS[character] if character in FACTORS else stored
    if character in WIDTHS:
        return "".join(chance.choice("abµ ~") for _ in range(chance.randint(0, WIDTHS[character] // 2)))
    if character == "a":
        return [chance.randint(-(2**15), 2**15 - 1) for _ in range(32)]
    number = chance.choice([0.0, -0.0, math.inf, -math.inf, math.nan, chance.uniform(-1e6, 1e6), chance.gauss(0, 1e-9)])
    return struct.unpack("<f", struct.pack("<f", number))[0] if character == "f" else number


ARRAYS = {
    "b": "i1", "B": "u1", "M": "u1", "h": ">i2", "H": "<u2", "i": ">i4", "I": "u4", "q": ">i8", "Q": "u8", "f": ">f4",
    "d": "f8", "c": "f8", "C": ">f8", "e": "f8", "E": "f8", "L": "f8", "a": ">i2",
}  # fmt: skip


def as_given(chance, character, values):
    """Values as a list, a slice of an array, or Arrow's."""
    if character in ARRAYS and chance.random() < 0.6:
        numbers = numpy.array(values, dtype=ARRAYS[character]).reshape(len(values), *[32] * (character == "a"))
        return chance.choice([numbers, numbers.repeat(2, axis=0)[::2], numbers[::-1].copy()[::-1]])
    pyarrow = pytest.importorskip("pyarrow")
    if chance.random() < 0.5:
        kinds = {"a": pyarrow.list_(pyarrow.int16(), 32)}
        if character in WIDTHS:
            kinds[character] = chance.choice([pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()])
        elif character != "a":
            kinds[character] = pyarrow.from_numpy_dtype(numpy.dtype(ARRAYS[character]).newbyteorder("="))
        return pyarrow.array([*values[:1], *values], kinds[character])[1:]
    return values


@pytest.mark.filterwarnings("ignore:.*UAV Log Viewer")
@pytest.mark.parametrize("seed", range(40))
def test_what_random_schemas_are_given_is_read(seed, tmp_path):
    chance, path = random.Random(seed), tmp_path / "out.bin"
    classes, expected = [], {}
    for number in range(chance.randint(1, 6)):
        length, characters, fields = 255 - 3 - 8, {}, [("TimeUS", int)]
        for column in range(chance.randint(0, 14)):
            if length < 1:
                break
            field, character = random_field(chance, length)
            length -= struct.calcsize("<" + SIZES[character])
            characters[f"A{column}"] = character
            fields.append((f"A{column}", Annotated[object, field]))
        name = f"T{number:03}"[:4]
        classes.append(make_dataclass(name, fields))
        count = chance.choice([0, 1, 5, 300])
        times = sorted(chance.randint(0, 10**7) for _ in range(count))
        expected[name] = {"TimeUS": times}
        expected[name].update({label: [random_value(chance, c) for _ in times] for label, c in characters.items()})
        expected[name] = expected[name], {"TimeUS": "Q", **characters}
    with binlog.Writer(path, classes) as writer:
        vehicle(writer)
        for cls in classes:
            columns, characters = expected[cls.__name__]
            half = chance.choice([0, len(columns["TimeUS"]) // 2])
            for row in range(half):
                writer.write(cls(**{label: values[row] for label, values in columns.items()}))
            rest = {label: values[half:] for label, values in columns.items()}
            writer.write_columns(
                cls.__name__, {label: as_given(chance, characters[label], values) for label, values in rest.items()}
            )
    log = binlog.open(path)
    assert not log.damage
    for name, (columns, _) in expected.items():
        if columns["TimeUS"]:
            values = log[name].to_dict()
            assert all(same(values[label], column) for label, column in columns.items()), (name, values, columns)
    times = [record.time for record in log.records() if record.get_type() in expected]
    assert times == sorted(times)
    mavutil = pytest.importorskip("pymavlink.mavutil")
    theirs, counts = mavutil.mavlink_connection(str(path)), dict.fromkeys(expected, 0)
    while (record := theirs.recv_msg()) is not None:
        if record.get_type() not in expected:
            continue
        columns, characters = expected[record.get_type()]
        for label, values in columns.items():
            ours, value = values[counts[record.get_type()]], getattr(record, label)
            value = list(value) if characters[label] == "a" else value
            assert equal(ours, value), (record.get_type(), label, ours, value)
        counts[record.get_type()] += 1
    assert counts == {name: len(columns["TimeUS"]) for name, (columns, _) in expected.items()}


COLUMNS = {"TimeUS": [1, 2], "Roll": [1.0, 2.0], "Yaw": [1.0, 2.0]}


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        ({"Roll": [1, 327.68]}, ValueError, "ATT.Roll, row 1: 327.68 is out of range; the format `c` holds -327.68 to"),
        ({"Roll": [math.nan, 1]}, ValueError, "ATT.Roll, row 0: NaN can't be stored"),
        ({"Roll": [1, math.inf]}, ValueError, "ATT.Roll, row 1: inf is out of range"),
        ({"Roll": numpy.array([1e300, 1])}, ValueError, "ATT.Roll, row 0: 1e300 is out|ATT.Roll, row 0: 1000"),
        ({"Roll": numpy.array([[1.0], [2.0]])}, ValueError, r"ATT.Roll has the shape \[2, 1\]; a column has one"),
        ({"Roll": numpy.float64(1)}, (TypeError, ValueError), r"ATT.Roll"),
        ({"Roll": ["a", "b"]}, TypeError, "ATT.Roll, row 0: 'a' isn't a number"),
        ({"Roll": [1, None]}, TypeError, "ATT.Roll, row 1: None isn't a number"),
        ({"Roll": numpy.array(["a", "b"])}, TypeError, "ATT.Roll, row 0: .*'a'.* isn't a number"),
        ({"Roll": numpy.array([1j, 2])}, TypeError, "ATT.Roll: complex numbers"),
        ({"Roll": [1, 2j]}, TypeError, "ATT.Roll, row 1: 2j isn't a number"),
        ({"Roll": numpy.array(["2021", "2022"], "datetime64[Y]")}, TypeError, "ATT.Roll, row 0: .* isn't a number"),
        ({"Roll": numpy.array([1, 2], "f2")}, None, ""),
        ({"Roll": numpy.ma.array([1, 2], mask=[False, True])}, ValueError, "ATT.Roll: masked values; write array.fill"),
        ({"Roll": numpy.ma.array([1, 2])}, None, ""),
        ({"Roll": "ab"}, TypeError, "ATT.Roll: one text isn't a column"),
        ({"Roll": 1.0}, TypeError, "ATT.Roll: a column is an array, a list"),
        ({"Roll": [1.0]}, ValueError, "ATT.Roll has 1 values, and TimeUS has 2"),
        ({"Yaw": [1, 1e39]}, ValueError, "ATT.Yaw, row 1: .* is out of range; the format `f` holds -3.4028235e38"),
        ({"Yaw": [math.nan, -math.inf]}, None, ""),
        ({"Yaw": [1.5, None]}, None, ""),
        ({"TimeUS": [1, -1]}, ValueError, "ATT.TimeUS, row 1: -1 is out of range; the format `Q` holds 0 to 1844674"),
        ({"TimeUS": [1, 1.5]}, ValueError, "ATT.TimeUS, row 1: 1.5 is not a whole number"),
        ({"TimeUS": [1, math.nan]}, ValueError, "ATT.TimeUS, row 1: NaN can't be stored; the format `Q` holds"),
        ({"TimeUS": [1, 2**64]}, ValueError, "ATT.TimeUS, row 1: .* is out of range"),
        ({"TimeUS": [1, 10**400]}, ValueError, "ATT.TimeUS, row 1: inf is"),
        ({"TimeUS": [1.0, 2**53]}, None, ""),
        ({"TimeUS": [2, 1]}, ValueError, "ATT, row 1: the time 1 us is before 2 us, that of the record before"),
        ({"roll": [1, 2]}, KeyError, "ATT has no column `roll`; did you mean `Roll`"),
        ({"Pitch": [1, 2]}, KeyError, "ATT has no column `Pitch`; it has TimeUS, Roll, Yaw"),
    ],
)
def test_columns_that_dont_fit_are_an_error_and_leave_nothing(wrong, error, text, tmp_path):
    with binlog.Writer(tmp_path / "out.bin", ATT) as writer:
        writer.write(ATT(0, 0, 0))
        if error is None:
            writer.write_columns("ATT", COLUMNS | wrong)
        else:
            with pytest.raises(error, match=text):
                writer.write_columns("ATT", COLUMNS | wrong)
    assert len(binlog.open(tmp_path / "out.bin")["ATT"]) == (3 if error is None else 1)


@pytest.mark.parametrize(
    "wrong, error, text",
    [
        ({"Roll": -400}, ValueError, "ATT.Roll: -400 is out of range"),
        ({"Roll": "1"}, TypeError, "ATT.Roll: '1' isn't a number"),
        ({"Roll": None}, TypeError, "ATT.Roll: None isn't a number"),
        ({"Rol": 1}, KeyError, "ATT has no column `Rol`"),
    ],
)
def test_a_record_that_doesnt_fit_is_an_error(wrong, error, text, tmp_path):
    with binlog.Writer(tmp_path / "out.bin", [ATT, ENG]) as writer:
        with pytest.raises(error, match=text):
            writer.write("ATT", **{"TimeUS": 0, "Roll": 0, "Yaw": 0} | wrong)
        with pytest.raises(KeyError, match="ATT has no column `Rol`"):
            writer.write("ATT", TimeUS=0, Rol=0, Yaw=0)
        with pytest.raises(ValueError, match="ATT.Yaw has no value"):
            writer.write("ATT", TimeUS=0, Roll=0)
        with pytest.raises(KeyError, match="the log has no type `att`; did you mean `ATT`"):
            writer.write("att", TimeUS=0)
        with pytest.raises(ValueError, match="FMT defines the log"):
            writer.write("FMT", Type=1)
        with pytest.raises(TypeError, match="7 is neither the name of a type nor an instance"):
            writer.write(7)
        engine = {"TimeUS": 0, "I": 0, "Ph": 0, "Fl": 0, "Mag": 0, "Name": "", "Lat": 0}
        for label, value, text in (
            ("Name", "a" * 17, "ENG.Name: text of 17 bytes is too long; the format `N` holds 16"),
            ("Name", "µ" * 9, "ENG.Name: text of 18 bytes"),
            ("Name", "a\0b", "ENG.Name: text with a NUL"),
            ("Name", "\ud800", "ENG.Name: "),
            ("Ph", 256, "ENG.Ph: 256 is out of range; the format `B` holds 0 to 255"),
            ("Lat", 214.8, "ENG.Lat: 214.8 is out of range; the format `L` holds -214.7483648 to"),
        ):
            with pytest.raises(ValueError, match=text):
                writer.write("ENG", **engine | {label: value})
        with pytest.raises(TypeError, match="ENG.Name: 7 is neither str nor bytes"):
            writer.write("ENG", **engine | {"Name": 7})
    assert "ATT" not in binlog.open(tmp_path / "out.bin")


def of(name, *fields):
    return make_dataclass(name, [("TimeUS", int), *fields])


@pytest.mark.parametrize(
    "schema, error, text",
    [
        (of("ATTI2"), ValueError, "ATTI2: 5 bytes of name, but only 4 fit"),
        (of("A"), ValueError, "A: the name is `A`; MAVExplorer"),
        (of("att"), ValueError, "att: the name is `att`"),
        (of("MAV"), ValueError, "MAV: readers take the name for something else"),
        (of("PARM"), ValueError, "PARM is defined already"),
        (of("FMTU"), ValueError, "FMTU is defined already"),
        (make_dataclass("ATT", [("Roll", float)]), ValueError, "ATT: the first column is `Roll`"),
        (make_dataclass("ATT", [("TimeUS", Annotated[int, Field("I", "s", 1e-6)])]), ValueError, "format is `I`"),
        (make_dataclass("ATT", [("TimeUS", Annotated[int, Field("Q")])]), ValueError, "unit `-`, multiplier `-`"),
        (of("ATT", ("to_dict", float)), ValueError, "ATT: `to_dict`: Python or pymavlink uses the label"),
        (of("STAT", ("MainState", float)), ValueError, "STAT: `MainState`: Python or pymavlink uses the label"),
        (of("ATT", ("Wörld", float)), ValueError, "ATT: `Wörld`: the label is not an identifier"),
        (of("ATT", ("A" * 58, float)), ValueError, "ATT: 65 bytes of labels and commas, but only 64 fit"),
        (of("ATT", *((f"A{i}", float) for i in range(16))), ValueError, "ATT: 17 bytes of formats, but only 16"),
        (of("ATT", *((f"A{i}", str) for i in range(4))), ValueError, "ATT: a record has 267 bytes"),
        (of("ATT", ("X", Annotated[float, Field("f", "furlong")])), ValueError, "ATT.X: `furlong` is not a known unit"),
        (of("ATT", ("X", Annotated[float, Field("f", "m s")])), ValueError, "ATT.X: 'm s' is not a known unit"),
        (of("ATT", ("X", Annotated[float, Field("f", "T=")])), ValueError, "ATT.X: 'T=' is not a known unit"),
        (of("ATT", ("X", Annotated[float, Field("f", "T=m")])), ValueError, "`T=m`: m is the unit `m` of ArduPilot"),
        (of("ATT", ("X", Annotated[float, Field("f", "d=uT")])), ValueError, "the log names the unit `uT`, ArduPilot"),
        (of("ATT", ("X", Annotated[float, Field("f", "m", 0.3)])), ValueError, "ATT.X: 0.3 isn't in ArduPilot's table"),
        (of("ATT", ("X", Annotated[float, Field("f", "m", -1)])), ValueError, "ATT.X: `-1.0` is not a valid multip"),
        (of("ATT", ("X", Annotated[float, Field("x")])), ValueError, "ATT.X: 'x' is not a format character; there are a b"),
        (of("ATT", ("X", Annotated[float, Field("")])), ValueError, "ATT.X: '' is not a format character"),
        (of("ATT", ("X", Annotated[float, Field("ff")])), ValueError, "ATT.X: 'ff' is not a format character"),
        (of("ATT", ("X", Annotated[float, Field])), TypeError, "ATT.X: `binlog.Field` has a format; write"),
        (make_dataclass("ATT", []), ValueError, "ATT has no fields; the first one is TimeUS"),
        (make_dataclass("A", ["TimeUS"], namespace={"__log_name__": 7}), TypeError, "A: __log_name__ is a text, not 7"),
        (of("ATT", ("X", Annotated[float, Field("c", "deg", 1e-3)])), ValueError, "ATT: `X`: format `c`, unit `d`"),
        (of("ATT", ("X", Annotated[float, Field("L")])), ValueError, "ATT: `X`: format `L`"),
        (of("ATT", ("X", Annotated[str, Field("N", "m")])), ValueError, "ATT: `X`: format `N`"),
        (of("ATT", ("Lat", Annotated[float, Field("L", "deglongitude")])), ValueError, "ATT: `Lat`"),
        (of("ATT", ("X", float), ("I", Annotated[int, Field("B", instance=True)])), ValueError, "ATT: `I`: it is col"),
        (of("ATT", ("I", Annotated[int, Field("H", instance=True)])), ValueError, "ATT: `I`: format `H`"),
        (of("ATT", ("X", complex)), TypeError, "ATT.X: .*complex.* has no format"),
        ([of("ATT"), of("ATT", ("X", float))], ValueError, "two dataclasses are named ATT"),
        (
            [of("ATT", ("X", Annotated[float, Field("f", "T=uT")])), of("ENG", ("X", Annotated[float, Field("f", "T=mT")]))],
            ValueError,
            "ENG.X: `T` is the id of two units, uT and mT",
        ),
        (7, TypeError, "a schema is a log, the path of a lock file, a dataclass or a list of these, not 7"),
        (dict, TypeError, "a schema is a log"),
        ("none.lock", FileNotFoundError, "none.lock"),
    ],
    ids=str,
)
def test_a_schema_that_breaks_a_rule_is_an_error_and_makes_no_file(schema, error, text, tmp_path):
    with pytest.raises(error, match=text):
        binlog.Writer(tmp_path / "out.bin", schema)
    assert not (tmp_path / "out.bin").exists()


@pytest.mark.parametrize(
    "arguments, text",
    [
        ((None,), "the format is a text, not None"),
        (("f", 5), "the unit is a text, not 5"),
        (("f", "m", [1]), r"the multiplier is a number or a text, not \[1\]"),
        (("f", "m", None, 5), "the description is a text, not 5"),
    ],
)
def test_a_field_says_which_argument_has_a_wrong_type(arguments, text):
    with pytest.raises(TypeError, match=text):
        Field(*arguments)


def test_an_annotation_that_isnt_found_is_named(tmp_path):
    @dataclass
    class OWN:
        TimeUS: int
        X: "Annotated[float, local]"  # noqa: F821

    with pytest.raises(NameError, match="OWN: an annotation uses local, which its module hasn't"):
        binlog.Writer(tmp_path / "out.bin", OWN)


def test_a_dataclass_that_is_given_twice_is_one_type(tmp_path):
    with binlog.Writer(tmp_path / "out.bin", [ATT, ENG, ATT]) as writer:
        writer.write(ATT(0, 0, 0))
    assert len(binlog.open(tmp_path / "out.bin")["ATT"]) == 1


def test_what_viewers_show_wrongly_is_a_warning(tmp_path):
    for field, text in (
        (Field("f", "m", 1e-2), "ATT: `X`: format `f`, unit `m`, multiplier `B`; some viewers multiply"),
        (Field("f", "deglatitude"), "ATT: `X`: .*wrong by up to 0.9 m"),
        (Field("g"), "ATT: `X`: its format is `g`"),
    ):
        with pytest.warns(UserWarning, match=text):
            binlog.Writer(tmp_path / "out.bin", of("ATT", ("X", Annotated[float, field]))).close()


def test_half_floats_are_the_nearest(tmp_path):
    cls = of("HALF", ("X", Annotated[float, Field("g")]))
    values = [0.0, -0.0, 1.0, 0.1, -2.5, 65504.0, 65519.9, 6.1e-5, 5.9e-8, 2.9e-8, 2.0**-14, math.inf, math.nan]
    chance = random.Random(1)
    values += [chance.uniform(-1, 1) * 2.0 ** chance.randint(-26, 15) for _ in range(2000)]
    with pytest.warns(UserWarning), binlog.Writer(tmp_path / "out.bin", cls) as writer:
        writer.write_columns("HALF", {"TimeUS": range(len(values)), "X": values})
        with pytest.raises(ValueError, match="65520 is out of range"):
            writer.write("HALF", TimeUS=10**9, X=65520)
    single = numpy.array(values, "f4")
    assert same(binlog.open(tmp_path / "out.bin")["HALF"]["X"].to_list(), single.astype("f2").astype("f8").tolist())


def test_buffers_are_copied_by_their_format(tmp_path):
    with binlog.Writer(tmp_path / "out.bin", ATT) as writer:
        yaw = numpy.arange(6, dtype=">f8").reshape(2, 3)[:, 1]
        writer.write_columns("ATT", {"TimeUS": array.array("L", [1, 2]), "Roll": memoryview(b"\x01\x02"), "Yaw": yaw})
        yaw[:] = 0
        halves = numpy.array([True, False]), numpy.array([0.5, 1.5], "f2")
        writer.write_columns("ATT", {"TimeUS": numpy.array([3, 4], "<u8"), "Roll": halves[0], "Yaw": halves[1]})
        writer.write_columns("ATT", {"TimeUS": (5, 6), "Roll": range(2), "Yaw": iter([1, 2])})
        writer.write_columns("ATT", {"TimeUS": [], "Roll": [], "Yaw": numpy.array([])})
    att = binlog.open(tmp_path / "out.bin")["ATT"].to_dict()
    assert att == {"TimeUS": [1, 2, 3, 4, 5, 6], "Roll": [1, 2, 1, 0, 0, 1], "Yaw": [1.0, 4.0, 0.5, 1.5, 1.0, 2.0]}


def test_arrow_with_nulls_or_other_types_is_an_error(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    with binlog.Writer(tmp_path / "out.bin", ATT) as writer:
        for values, error, text in (
            (pyarrow.array([1, None]), ValueError, "ATT.Roll, row 1: null"),
            (pyarrow.array([1.0, None]), ValueError, "ATT.Roll, row 1: NaN can't be stored"),
            (pyarrow.array(["a", "b"]), TypeError, "ATT.Roll, row 0: texts; the format `c` holds numbers"),
            (pyarrow.array([1, 2], pyarrow.timestamp("us")), TypeError, "ATT.Roll: Arrow's type `tsu:`; cast it"),
            (pyarrow.array(["a", "b"]).dictionary_encode(), TypeError, "ATT.Roll: Arrow's type `dictionary`"),
        ):
            with pytest.raises(error, match=text):
                writer.write_columns("ATT", COLUMNS | {"Roll": values})
            with pytest.raises(error, match=text):
                writer.write_columns("ATT", pyarrow.table(COLUMNS | {"Roll": values}))
        with pytest.raises(TypeError, match="ATT: columns are a dict of arrays"):
            writer.write_columns("ATT", [1, 2])
        schema = pyarrow.schema({label: pyarrow.float64() for label in COLUMNS})

        def batches():
            yield pyarrow.record_batch(list(COLUMNS.values()), schema=schema)
            raise OSError("the card was pulled")

        with pytest.raises(ValueError, match="the card was pulled"):
            writer.write_columns("ATT", pyarrow.RecordBatchReader.from_batches(schema, batches()))
        used = pyarrow.table(COLUMNS).__arrow_c_stream__()

        class Used:
            def __arrow_c_stream__(self, requested_schema=None):
                return used

        writer.write_columns("ATT", Used())
        with pytest.raises(ValueError, match="imported before"):
            writer.write_columns("ATT", Used())

        class Contradiction:
            def __arrow_c_array__(self, requested_schema=None):
                texts, numbers = pyarrow.array(["a", "b"]), pyarrow.array([1.0, 2.0])
                return texts.__arrow_c_array__()[0], numbers.__arrow_c_array__()[1]

        with pytest.raises(ValueError, match="ATT.Roll: the data contradicts Arrow"):
            writer.write_columns("ATT", COLUMNS | {"Roll": Contradiction()})
    assert len(binlog.open(tmp_path / "out.bin")["ATT"]) == 2


def test_a_lock_file_is_a_schema(tmp_path):
    lock = tmp_path / "flight.lock"
    lock.write_text(
        'binlog-lock 1\nrelease 1.0\n\n.. ATT id 77\n..1.0 ATT order TimeUS\n'.replace("..1.0", "1.0..next")
        + "next.. ATT order TimeUS,Roll\n.. ATT.TimeUS Q s 1e-6\nnext.. ATT.Roll c deg 1e-2\n"
        + 'next.. ATT.Roll = 0 "Level"\n\ndescriptions\nATT "Attitude."\n'
    )
    with binlog.Writer(tmp_path / "out.bin", str(lock)) as writer:
        writer.write_columns("ATT", {"TimeUS": [1, 2], "Roll": [1.5, 0]})
    log = binlog.open(tmp_path / "out.bin")
    assert log["ATT"].to_dict() == {"TimeUS": [1, 2], "Roll": [1.5, 0.0]} and log["ATT"].description == "Attitude."
    assert [row for row in log["FMT"]["Type"] if row == 77] == [77]
    lock.write_text("binlog-lock 1\n.. ATT id 77\n")
    with pytest.raises(ValueError, match=r"flight.lock: line 2: ATT has no `order`"):
        binlog.Writer(tmp_path / "out.bin", lock)
    lock.write_text("TimeUS,Roll")
    with pytest.raises(ValueError, match=r"flight.lock: line 1: a lock begins with"):
        binlog.Writer(tmp_path / "out.bin", lock)
    with pytest.raises(ValueError, match=r'out.bin isn\'t a lock file; the schema of a log is binlog.open\(".*out.bin"\)'):
        binlog.Writer(tmp_path / "next.bin", tmp_path / "out.bin")


def flight(path, count=100):
    with binlog.Writer(path, [ATT, ENG]) as writer:
        vehicle(writer)
        times = numpy.arange(count) * 1000
        writer.write_columns("ATT", {"TimeUS": times, "Roll": times / 1e6, "Yaw": times})
    return binlog.open(path)


@pytest.mark.parametrize("path", [None, *LOGS], ids=lambda path: path and path.name)
def test_derived_columns_are_merged_into_a_flight(path, tmp_path):
    log = binlog.open(path) if path else flight(tmp_path / "flight.bin")
    name = "ATT" if "ATT" in log else next(name for name, table in log.items() if "TimeUS" in table.columns)
    times = numpy.asarray(log[name]["TimeUS"])
    if not (times[1:] >= times[:-1]).all():
        times = numpy.sort(times)
    cls = make_dataclass("DRV", [("TimeUS", int), ("X", Annotated[float, Field("d", "m", description="Derived.")])])
    with binlog.Writer(tmp_path / "out.bin", cls, merge=log) as writer:
        writer.write_columns("DRV", {"TimeUS": times, "X": numpy.arange(len(times)) / 3})
        with pytest.raises(ValueError, match="written when it is closed"):
            writer.flush()
    merged = binlog.open(tmp_path / "out.bin")
    assert merged["DRV"].to_dict() == {"TimeUS": times.tolist(), "X": (numpy.arange(len(times)) / 3).tolist()}
    for name, table in log.items():
        if name not in DEFINING:
            values = merged[name].to_dict()
            assert all(same(values[label], column) for label, column in table.to_dict().items()), name
    if path is None:
        seen = [record.TimeUS for record in merged.records("ATT", "DRV")]
        assert seen == sorted(seen) and seen[:4] == [0, 0, 1000, 1000]
        assert merged["DRV"]["X"].unit == "m" and merged["ATT"].description == "Vehicle attitude."
        check(tmp_path / "out.bin")


def test_a_type_that_the_flight_defines_differently_is_an_error(tmp_path):
    log = flight(tmp_path / "flight.bin")
    with pytest.raises(ValueError, match=r"ATT has the labels `TimeUS,Roll,Yaw` in .*flight.bin, and `TimeUS` in the data"):
        binlog.Writer(tmp_path / "out.bin", of("ATT"), merge=log)
    assert not (tmp_path / "out.bin").exists()
    with binlog.Writer(tmp_path / "out.bin", log, merge=log) as writer:
        writer.write("ATT", TimeUS=1500, Roll=1, Yaw=2)
    assert len(binlog.open(tmp_path / "out.bin")["ATT"]) == 101


def test_records_are_in_the_order_of_time(tmp_path):
    path = tmp_path / "out.bin"
    with binlog.Writer(path, [ATT, ENG]) as writer:
        writer.write_columns("ATT", {"TimeUS": [10, 30, 50], "Roll": [0, 0, 0], "Yaw": [1, 3, 5]})
        engine = {"Ph": 0, "Fl": 0, "Mag": 0, "Name": "", "Lat": 0}
        writer.write("ENG", TimeUS=20, I=0, **engine)
        # Each instance has its own order.
        writer.write("ENG", TimeUS=5, I=1, **engine)
        with pytest.raises(ValueError, match="ENG: the time 19 us is before 20 us, that of the record before"):
            writer.write("ENG", TimeUS=19, I=0, **engine)
        writer.flush()
        assert [record.TimeUS for record in binlog.open(path).records("ATT", "ENG")] == [5, 10, 20, 30, 50]
        with pytest.raises(ValueError, match="ENG: the time 40 us is before 50 us, up to which the log is written"):
            writer.write("ENG", TimeUS=40, I=0, **engine)
        writer.write("ENG", TimeUS=50, I=0, **engine)
    assert [record.TimeUS for record in binlog.open(path).records("ATT", "ENG")] == [5, 10, 20, 30, 50, 50]


def test_old_firmwares_times_are_milliseconds(tmp_path):
    lock = tmp_path / "old.lock"
    lock.write_text(
        "binlog-lock 1\n.. ATT id 1\n.. ATT order TimeMS,Roll\n.. ATT.TimeMS I - -\n.. ATT.Roll f - -\n"
        ".. GPS id 2\n.. GPS order Status,TimeMS,T\n.. GPS.Status B - -\n.. GPS.TimeMS I - -\n.. GPS.T I - -\n"
    )
    with binlog.Writer(tmp_path / "out.bin", lock) as writer:
        writer.write_columns("ATT", {"TimeMS": [10, 20, 30], "Roll": [1, 2, 3]})
        writer.write_columns("GPS", {"Status": [3, 3], "TimeMS": [604_799_999, 0], "T": [15, 25]})
    records = [record.time for record in binlog.open(tmp_path / "out.bin").records("ATT", "GPS")]
    assert records == [0.010, 0.015, 0.020, 0.025, 0.030]


def test_an_exception_leaves_what_was_accepted(tmp_path):
    for merge in None, flight(tmp_path / "flight.bin"):
        with pytest.raises(ZeroDivisionError), binlog.Writer(tmp_path / "out.bin", ATT, merge=merge) as writer:
            writer.write(ATT(1, 2, 3))
            writer.write(ATT(2, 1 / 0, 3))
        log = binlog.open(tmp_path / "out.bin")
        assert len(log["ATT"]) == 1 + (100 if merge else 0) and not log.damage and writer.closed


def test_a_writer_that_is_closed_or_dropped(tmp_path):
    path = tmp_path / "out.bin"
    writer = binlog.Writer(path, ATT)
    assert repr(writer) == f"<writer of {path}: 7 types, open>" and not writer.closed
    writer.write(ATT(1, 2, 3))
    writer.close()
    writer.close()
    assert repr(writer).endswith("closed>")
    for call in (
        lambda: writer.write(ATT(1, 2, 3)),
        lambda: writer.write_columns("ATT", COLUMNS),
        lambda: writer.flush(),
    ):
        with pytest.raises(ValueError, match="out.bin: the log is closed"):
            call()
    writer = binlog.Writer(path, ATT)
    writer.write(ATT(7, 2, 3))
    del writer
    gc.collect()
    assert binlog.open(path)["ATT"]["TimeUS"].to_list() == [7]
    with pytest.raises(OSError, match="out.bin"):
        binlog.Writer(tmp_path / "none" / "out.bin", ATT)
    with pytest.raises(ValueError, match='scaling is "shown" or "stored", not "units"'):
        binlog.Writer(path, ATT, scaling="units")
    assert len(binlog.open(path)["ATT"]) == 1, "nothing was written over"


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="it has no /dev/full")
def test_a_full_disk_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(OSError, match="/dev/full"):
        binlog.Writer("/dev/full", ATT)
    writer = binlog.Writer("/dev/full", ATT, merge=flight(tmp_path / "flight.bin"))
    writer.write(ATT(1, 2, 3))
    with pytest.raises(OSError, match="/dev/full"):
        writer.close()
    assert writer.closed


@pytest.mark.skipif(os.name == "nt", reason="links and modes of files are those of Unix")
def test_a_log_that_is_read_isnt_written_over(tmp_path):
    path = tmp_path / "flight.bin"
    before = flight(path, 50_000)
    size = path.stat().st_size
    (tmp_path / "link.bin").symlink_to(path)
    log = binlog.open(path, map=True)
    for schema, merge in (log, None), (ATT, log), ([ATT, log.slice(0, 1)], None):
        for name in "flight.bin", "link.bin":
            with pytest.raises(ValueError, match=f"{name} is the log that is read"):
                binlog.Writer(tmp_path / name, schema, merge=merge)
    assert path.stat().st_size == size
    # Another log in its place leaves the one that is mapped.
    path.chmod(0o640)
    with binlog.Writer(path, ATT) as writer:
        writer.write_columns("ATT", log["ATT"][["TimeUS", "Roll", "Yaw"]])
    assert log["ATT"].to_dict() == before["ATT"].to_dict() == binlog.open(path)["ATT"].to_dict()
    assert path.stat().st_mode & 0o777 == 0o640
    if os.getuid():
        path.chmod(0o440)
        with pytest.raises(PermissionError):
            binlog.Writer(path, ATT)


def test_values_of_a_log_are_taken_in_the_columns_unit(tmp_path):
    flight(tmp_path / "flight.bin")
    expected = binlog.open(tmp_path / "flight.bin")["ATT"].to_dict()
    for scaling in "shown", "stored", "units":
        log = binlog.open(tmp_path / "flight.bin", scaling=scaling)
        assert copy(log, tmp_path / "copy.bin")["ATT"].to_dict() == expected
        with binlog.Writer(tmp_path / "copy.bin", ATT) as writer:
            if scaling == "shown":
                writer.write_columns("ATT", dict(log["ATT"]))
            else:
                text = {"stored": "ATT.Roll is in deg, and the values are in 0.01 deg", "units": "ATT.TimeUS is in µs"}
                with pytest.raises(ValueError, match=text[scaling]):
                    writer.write_columns("ATT", dict(log["ATT"]))
    radians = of("ATT", ("Roll", Annotated[float, Field("f", "rad")]), ("Yaw", Annotated[float, Field("f", "rad")]))
    with binlog.Writer(tmp_path / "copy.bin", radians) as writer:
        with pytest.raises(ValueError, match="ATT.Roll is in rad, and the values are in deg"):
            writer.write_columns("ATT", log["ATT"])


def test_stored_numbers_are_written_as_they_are(tmp_path):
    with binlog.Writer(tmp_path / "out.bin", ATT, scaling="stored") as writer:
        writer.write("ATT", TimeUS=1, Roll=597, Yaw=1.5)
        with pytest.raises(ValueError, match="5.5 is not a whole number"):
            writer.write("ATT", TimeUS=1, Roll=5.5, Yaw=1.5)
    assert binlog.open(tmp_path / "out.bin")["ATT"]["Roll"].to_list() == [5.97]


def test_threads_share_a_writer(tmp_path):
    types = [of(f"T{number}", ("X", float)) for number in range(8)]
    with binlog.Writer(tmp_path / "out.bin", types) as writer:

        def write(cls):
            for row in range(100):
                writer.write(cls(row, row))
            times = numpy.arange(100, 50_000)
            writer.write_columns(cls.__name__, {"TimeUS": times, "X": times})

        threads = [threading.Thread(target=write, args=(cls,)) for cls in types]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    log = binlog.open(tmp_path / "out.bin")
    assert all(log[cls.__name__]["TimeUS"].to_list() == list(range(50_000)) for cls in types)
