"""Logs as a data source of Spark 4.1 and later, and of Sail.

>>> from binlog.spark import LogSource
>>> spark.dataSource.register(LogSource)
>>> att = spark.read.format("binlog").option("message", "ATT").load("logs/")

The records of a type in the logs of a folder, read from the logs themselves. ``log_id`` (the log's path, from the
folder), ``session`` (the number of the boot or session, from 1), ``instance`` and ``TimeUS`` (microseconds since boot)
come first, then each column that any log has, in a type with a sign that holds the values of all. A label that is the
same as one of the four gets a ``_`` at the end.

Options:

``path``
    Folders and files: the argument of ``load``, or several paths, one a line. Workers need the same paths.
``message``
    The type: ``ATT``, ``IMU``, or of Blackbox ``main``, ``slow``, ``gps``.
``columns``
    The columns after the first four, separated by commas. Nothing else is decoded.
``scaling``
    ``shown`` (as pymavlink shows numbers, the default), ``stored`` or ``units``.
``on_error``
    ``raise`` (the default): a log that can't be read is an error that names it. ``skip``: it is left out with a
    warning.
``partition_bytes``
    About how many bytes the logs of a partition have. By default each processor has one, of 8 to 128 MiB. A log is in
    one partition.

With a schema, ``spark.read.format("binlog").schema("log_id STRING, TimeUS LONG, Roll DOUBLE")``, the logs aren't read
for their columns first. Its columns have the names of the log, and types that hold the log's values; one that a log
lacks is null there.

Comparisons of ``log_id``, ``session``, ``instance`` and ``TimeUS`` with constants choose logs and records before
anything is decoded, if Spark has ``spark.sql.python.filterPushdown.enabled``; without it, Spark compares after reading.
Sail does it without a setting.
"""

import os
import warnings

import pyarrow
from pyspark.sql import types
from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    InputPartition,
    IsNotNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringEndsWith,
    StringStartsWith,
)

from ._binlog import engine_columns, engine_logs, engine_read

__all__ = ["LogSource"]

_PARTITION_BYTES = 8 << 20, 128 << 20
_BATCH_ROWS = 1 << 17

# The type of each kind of values, for Spark and in Arrow.
_KINDS = {
    "I8": (types.ByteType(), pyarrow.int8()),
    "I16": (types.ShortType(), pyarrow.int16()),
    "I32": (types.IntegerType(), pyarrow.int32()),
    "I64": (types.LongType(), pyarrow.int64()),
    "F32": (types.FloatType(), pyarrow.float32()),
    "F64": (types.DoubleType(), pyarrow.float64()),
    "Text": (types.StringType(), pyarrow.string()),
    "Bytes": (types.BinaryType(), pyarrow.binary()),
    "Samples": (types.ArrayType(types.ShortType()), pyarrow.list_(pyarrow.field("element", pyarrow.int16()))),
}

# Columns whose values `engine_read` compares.
_OF_NUMBERS = {("session",): "session", ("instance",): "instance", ("timeus",): "TimeUS"}
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1


class LogSource(DataSource):
    """The records of a type in many logs: see the module."""

    @classmethod
    def name(cls):
        return "binlog"

    def schema(self):
        options = _Options(self.options)
        columns, skipped = engine_columns(
            options.paths, options.message, options.columns, options.scaling, options.on_error
        )
        _warn(skipped)
        schema = types.StructType()
        for name, kind, unit, description in columns:
            about = {"unit": unit, "comment": description}
            schema.add(name, _KINDS[kind][0], metadata={key: text for key, text in about.items() if text})
        return schema

    def reader(self, schema):
        return _Reader(_Options(self.options), schema)


class _Options:
    """The options, whose names engines give in lower case."""

    def __init__(self, options):
        options = {name.lower(): value for name, value in options.items()}
        self.paths = [path for path in options.pop("path", "").split("\n") if path]
        self.message = options.pop("message", None)
        columns = options.pop("columns", None)
        self.columns = None if columns is None else [name.strip() for name in columns.split(",") if name.strip()]
        self.scaling = options.pop("scaling", "shown")
        self.on_error = options.pop("on_error", "raise")
        self.partition_bytes = _bytes(options.pop("partition_bytes", None))
        if not self.paths or not self.message:
            raise ValueError('name the logs and the type: .option("message", "ATT").load("logs/")')
        if options:
            known = "path, message, columns, scaling, on_error, partition_bytes"
            raise ValueError(f"no option is called {', '.join(options)}; there are {known}")


def _bytes(option):
    """The option `partition_bytes`; None without it."""
    try:
        count = None if option is None else int(option)
    except ValueError:
        count = 0
    if count is not None and count < 1:
        raise ValueError(f"partition_bytes is a whole number above 0, without a unit, not {option!r}")
    return count


class _Logs(InputPartition):
    """Some of the logs of `engine_logs`."""

    def __init__(self, logs):
        super().__init__(None)
        self.logs = logs


class _Reader(DataSourceReader):
    def __init__(self, options, schema):
        self.options = options
        self.columns = [(name, _kind(name, type)) for name, type in _fields(schema)]
        self.ranges = []
        self.of_logs = []

    @property
    def pushFilters(self):
        return _PushFilters(self)

    def partitions(self):
        logs, skipped = engine_logs(self.options.paths, self.options.on_error)
        _warn(skipped)
        logs = [log for log in logs if all(_accepts(filter, log[0]) for filter in self.of_logs)]
        least, most = _PARTITION_BYTES
        total = sum(length for _, _, length, _ in logs)
        limit = self.options.partition_bytes or min(max(total // (os.cpu_count() or 1) + 1, least), most)
        count = max(-(-total // limit), 1)
        packs, before = {}, 0
        for log, path, length, is_named_as_log in logs:
            # The pack in which the middle of the log is, if all logs are cut into parts of one size.
            pack = packs.setdefault((2 * before + length) * count // (2 * total), [])
            pack.append((log, str(path), length, is_named_as_log))
            before += length
        return [_Logs(logs) for logs in packs.values()] or [_Logs([])]

    def read(self, partition):
        options = self.options
        found = engine_read(
            partition.logs, options.message, self.columns, options.scaling, self.ranges, options.on_error
        )
        schema = pyarrow.schema([(name, _KINDS[kind][1]) for name, kind in self.columns])
        for batch in _of_many_rows(pyarrow.RecordBatchReader.from_stream(found)):
            if batch.schema != schema:
                # Raw data and arrays have a fixed length in the log, and none in an engine.
                batch = batch.cast(schema)
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                yield batch.slice(start, _BATCH_ROWS)
        _warn(found.skipped)


def _of_many_rows(batches):
    """Joins the batches of short logs, since engines take as long for a small batch as for a large one."""
    joined, rows = [], 0
    for batch in batches:
        if joined and rows + batch.num_rows > _BATCH_ROWS:
            yield pyarrow.concat_batches(joined)
            joined, rows = [], 0
        joined.append(batch)
        rows += batch.num_rows
    if joined:
        yield pyarrow.concat_batches(joined)


class _PushFilters:
    """The method ``pushFilters`` of a reader.

    Where ``spark.sql.python.filterPushdown.enabled`` isn't set, Spark refuses readers that have one of their own, by
    this attribute. A reader that gets no filters reads all records, and Spark compares them itself.
    """

    def __init__(self, reader):
        self.reader = reader
        self.__func__ = DataSourceReader.pushFilters

    def __call__(self, filters):
        for filter in filters:
            column = _column(filter)
            ranges = _ranges(filter)
            if column == ("log_id",) and _is_of_logs(filter):
                self.reader.of_logs.append(filter)
            elif column in _OF_NUMBERS and ranges is not None:
                self.reader.ranges.append((_OF_NUMBERS[column], ranges))
            else:
                yield filter


def _column(filter):
    attribute = getattr(filter.child if isinstance(filter, Not) else filter, "attribute", ())
    return tuple(name.lower() for name in attribute)


def _ranges(filter):
    """The numbers that a filter accepts, as ranges with both ends; None if it isn't about whole numbers."""
    if isinstance(filter, IsNotNull):
        return [(_LOWEST, _HIGHEST)]
    if isinstance(filter, Not) and isinstance(filter.child, EqualTo) and _is_whole(filter.child.value):
        value = filter.child.value
        return [(_LOWEST, value - 1), (value + 1, _HIGHEST)] if _LOWEST < value < _HIGHEST else None
    if isinstance(filter, In) and all(map(_is_whole, filter.value)):
        return [(value, value) for value in filter.value]
    value = getattr(filter, "value", None)
    if not _is_whole(value):
        return None
    if isinstance(filter, EqualTo):
        return [(value, value)]
    if isinstance(filter, GreaterThan):
        return [(value + 1, _HIGHEST)] if value < _HIGHEST else []
    if isinstance(filter, GreaterThanOrEqual):
        return [(value, _HIGHEST)]
    if isinstance(filter, LessThan):
        return [(_LOWEST, value - 1)] if value > _LOWEST else []
    if isinstance(filter, LessThanOrEqual):
        return [(_LOWEST, value)]
    return None


def _is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and _LOWEST <= value <= _HIGHEST


def _is_of_logs(filter):
    if isinstance(filter, Not):
        return isinstance(filter.child, (EqualTo, In)) and _is_of_logs(filter.child)
    if isinstance(filter, In):
        return all(isinstance(value, str) for value in filter.value)
    kinds = EqualTo, StringStartsWith, StringEndsWith, StringContains
    return isinstance(filter, IsNotNull) or isinstance(filter, kinds) and isinstance(filter.value, str)


def _accepts(filter, log):
    """Whether a filter accepts the id of a log."""
    if isinstance(filter, Not):
        return not _accepts(filter.child, log)
    if isinstance(filter, EqualTo):
        return log == filter.value
    if isinstance(filter, In):
        return log in filter.value
    if isinstance(filter, StringStartsWith):
        return log.startswith(filter.value)
    if isinstance(filter, StringEndsWith):
        return log.endswith(filter.value)
    if isinstance(filter, StringContains):
        return filter.value in log
    return True


def _fields(schema):
    """Names and types of a schema: Spark's, or Arrow's, which Sail gives."""
    if isinstance(schema, pyarrow.Schema):
        return [(field.name, field.type) for field in schema]
    return [(field.name, field.dataType) for field in schema.fields]


def _kind(name, type):
    for kind, (of_spark, of_arrow) in _KINDS.items():
        if type == (of_arrow if isinstance(type, pyarrow.DataType) else of_spark):
            return kind
    if pyarrow.types.is_large_string(type) or pyarrow.types.is_string_view(type):
        return "Text"
    known = ", ".join(of_spark.simpleString() for of_spark, _ in _KINDS.values())
    raise TypeError(f"the column {name} can't be {type}; there are {known}")


def _warn(skipped):
    for log, reason in skipped.items():
        # A terminal would obey control characters in a file's name.
        shown = "".join(one if one.isprintable() else ascii(one)[1:-1] for one in log)
        warnings.warn(f"{shown} is left out: {reason}", RuntimeWarning, stacklevel=2)
