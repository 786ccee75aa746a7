"""Reads a data set with DuckDB, pyarrow and polars, and compares with pymavlink: parquet_by_all.py LOG FOLDER."""
import math
import sys

import duckdb
import polars
import pyarrow.dataset
import pyarrow.parquet
from pymavlink import DFReader

log = DFReader.DFReader_binary(sys.argv[1])
rolls = []
gyros = {}
while (record := log.recv_msg()) is not None:
    if record.get_type() == "ATT":
        rolls.append(record.Roll)
    if record.get_type() == "IMU":
        gyros.setdefault(record.I, []).append(record.GyrX)

folder = sys.argv[2]
count, total = duckdb.sql(f"SELECT count(*), sum(Roll) FROM '{folder}/ATT/*.parquet'").fetchall()[0]
assert count == len(rolls) and math.isclose(total, sum(rolls), rel_tol=1e-9, abs_tol=1e-9)
by_instance = duckdb.sql(f"SELECT instance, count(*) FROM '{folder}/IMU/*.parquet' GROUP BY instance").fetchall()
assert dict(by_instance) == {instance: len(values) for instance, values in gyros.items()}
joined = duckdb.sql(
    f"SELECT vehicle, duration, count(*) FROM '{folder}/logs/*.parquet' JOIN '{folder}/ATT/*.parquet' USING (log_id)"
    " GROUP BY ALL"
).fetchall()
assert joined[0][0] == "Copter" and joined[0][2] == len(rolls), joined

table = pyarrow.dataset.dataset(f"{folder}/ATT").to_table()
assert table.num_rows == len(rolls)
field = table.schema.field("Roll")
assert field.metadata[b"unit"] == b"deg", field.metadata
file = pyarrow.dataset.dataset(f"{folder}/ATT").files[0]
assert pyarrow.parquet.read_schema(file).metadata[b"type"] == b"ATT"
assert str(table.schema.field("UTC").type) == "timestamp[us, tz=UTC]"

frame = polars.read_parquet(f"{folder}/ATT/*.parquet")
assert frame.height == len(rolls) and math.isclose(frame["Roll"].sum(), sum(rolls), rel_tol=1e-9, abs_tol=1e-9)
assert frame["TimeUS"].is_sorted()
