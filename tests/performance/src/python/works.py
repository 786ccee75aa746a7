"""One piece of work in a process of its own: `works.py NAME ARGUMENT…` prints seconds, as JSON.

A work that is several measurements of one process prints a dict of them. What is imported before the clock starts isn't
measured.
"""

import json
import statistics
import sys
import time


def seconds(work):
    """The seconds of a work, without what it takes to drop its result."""
    begin = time.perf_counter()
    result = work()
    end = time.perf_counter()
    del result
    return end - begin


def all_columns(log, mapped):
    import binlog

    def work():
        return binlog.open(log, map=mapped).tables()

    return seconds(work)


def columns_mapped(log):
    return all_columns(log, True)


def columns_read(log):
    return all_columns(log, False)


def columns_by_type(log):
    import binlog

    return seconds(lambda: [table.values() for table in binlog.open(log, map=True).values()])


def dicts_by_mavparser(log):
    import mavparser

    return seconds(lambda: mavparser.parse(log))


def records_by_pymavlink(log):
    from pymavlink import mavutil

    def work():
        connection = mavutil.mavlink_connection(log)
        while connection.recv_msg() is not None:
            pass

    return seconds(work)


def one_column(log):
    import binlog

    opened = binlog.open(log, map=True)
    opened["ATT"]["Roll"]
    opened["ATT"]["Roll"]
    again = statistics.median(seconds(lambda: opened["ATT"]["Roll"]) for _ in range(9))
    schema = statistics.median(seconds(lambda: opened["ATT"]) for _ in range(99))
    return {"again": again, "schema": schema}


def one_column_fresh(log):
    import binlog

    return seconds(lambda: binlog.open(log, map=True)["ATT"]["Roll"])


def attribute(log):
    import binlog

    def work():
        roll = 0.0
        for record in binlog.open(log, map=True).records("ATT"):
            roll += record.Roll
        return roll

    return seconds(work)


def attribute_by_pymavlink(log):
    from pymavlink import mavutil

    def work():
        roll, connection = 0.0, mavutil.mavlink_connection(log)
        while (record := connection.recv_match(type="ATT")) is not None:
            roll += record.Roll
        return roll

    return seconds(work)


def attribute_by_mavparser(log):
    import mavparser

    def work():
        roll = 0.0
        for record in mavparser.parse(log, mode="iterator"):
            if record["mavpackettype"] == "ATT":
                roll += record["Roll"]
        return roll

    return seconds(work)


def attribute_of_list_by_mavparser(log):
    import mavparser

    def work():
        roll = 0.0
        for record in mavparser.parse(log):
            if record["mavpackettype"] == "ATT":
                roll += record["Roll"]
        return roll

    return seconds(work)


def every_record(log):
    import binlog

    def work():
        last = 0
        for record in binlog.open(log, map=True).records():
            last = getattr(record, "TimeUS", last)
        return last

    return seconds(work)


def every_record_by_pymavlink(log):
    from pymavlink import mavutil

    def work():
        last, connection = 0, mavutil.mavlink_connection(log)
        while (record := connection.recv_msg()) is not None:
            last = getattr(record, "TimeUS", last)
        return last

    return seconds(work)


def every_record_by_mavparser(log):
    import mavparser

    def work():
        last = 0
        for record in mavparser.parse(log, mode="iterator"):
            last = record.get("TimeUS", last)
        return last

    return seconds(work)


def imports(module):
    return seconds(lambda: __import__(module))


def fleet(folder):
    """The sum of a column over a folder of logs, in batches."""
    import binlog
    import pyarrow
    import pyarrow.compute

    def work():
        batches = pyarrow.RecordBatchReader.from_stream(binlog.fleet(folder, "ATT", columns=["Roll"]))
        return sum(pyarrow.compute.sum(batch["Roll"]).as_py() for batch in batches)

    return seconds(work)


def loop(folder):
    """The same sum in plain Python: a loop over the files."""
    import glob

    import binlog
    import numpy

    logs = sorted(glob.glob(f"{folder}/**/*.BIN", recursive=True))

    def work():
        return sum(numpy.asarray(binlog.open(log)["ATT"]["Roll"]).sum() for log in logs)

    return seconds(work)


def warm(query):
    """A query that has run once already."""
    first = query()
    result = []
    elapsed = min(seconds(lambda: result.append(query())) for _ in range(3))
    assert all(abs(value - first) <= 1e-6 * abs(first) for value in result)
    return elapsed


def duckdb(data):
    import duckdb

    sql = f"SELECT sum(Roll) FROM read_parquet('{data}/ATT/*.parquet', union_by_name = true)"
    return warm(lambda: duckdb.sql(sql).fetchall()[0][0])


def sail(folder):
    from binlog.spark import LogSource
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer()
    server.start()
    _, port = server.listening_address
    spark = SparkSession.builder.remote(f"sc://127.0.0.1:{port}").getOrCreate()
    spark.dataSource.register(LogSource)
    logs = spark.read.format("binlog").option("message", "ATT").option("columns", "Roll")
    elapsed = warm(lambda: logs.load(folder).selectExpr("sum(Roll)").collect()[0][0])
    # Before the server: a session that doesn't find it tries again for ten minutes.
    spark.stop()
    server.stop()
    return elapsed


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
