"""Queries by an engine, whose answers it prints as JSON: engine_queries.py sail|spark|spark-without-pushdown QUERIES.

QUERIES is a JSON file with a list of objects: `name`; `raw` (options of the data source) and `path`, or `parquet` (a
folder); `schema`, if the user gives one; `where`; `select`, whose first row is the answer, or else all rows are.
"""

import json
import sys
import warnings

warnings.simplefilter("ignore", FutureWarning)
engine, queries = sys.argv[1], json.load(open(sys.argv[2]))

from pyspark.sql import SparkSession

if engine == "sail":
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    spark = SparkSession.builder.remote(f"sc://localhost:{server.listening_address[1]}").getOrCreate()
else:
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    is_pushed = "false" if engine == "spark-without-pushdown" else "true"
    spark = builder.config("spark.sql.python.filterPushdown.enabled", is_pushed).getOrCreate()
    spark.sparkContext.setLogLevel("OFF")

from binlog.spark import LogSource

spark.dataSource.register(LogSource)


def answer(query):
    if "raw" in query:
        reader = spark.read.format("binlog")
        if "schema" in query:
            reader = reader.schema(query["schema"])
        for name, value in query["raw"].items():
            reader = reader.option(name, value)
        frame = reader.load(query["path"])
    else:
        frame = spark.read.option("mergeSchema", "true").parquet(query["parquet"])
    if "where" in query:
        frame = frame.where(query["where"])
    if "select" in query:
        return frame.selectExpr(*query["select"]).collect()[0].asDict()
    return {"columns": frame.columns, "rows": [list(row) for row in frame.collect()]}


answers = {}
for query in queries:
    try:
        answers[query["name"]] = answer(query)
    except Exception as error:
        answers[query["name"]] = {"error": str(error)}
print(json.dumps(answers, default=lambda value: list(value) if isinstance(value, (bytes, bytearray)) else str(value)))
