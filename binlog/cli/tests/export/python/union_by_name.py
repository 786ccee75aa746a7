"""Types that differ between logs: union_by_name.py FOLDER."""
import glob
import sys

import duckdb
import polars

folder = sys.argv[1]
rows = duckdb.sql(
    f"SELECT TimeUS, Roll, Yaw FROM read_parquet('{folder}/ATT/*.parquet', union_by_name = true) ORDER BY TimeUS"
).fetchall()
assert rows == [(1000, 1.0, None), (2000, 2.5, 7.0), (3000, 3.0, None)], rows

# The recipes of the guide for polars.
files = [polars.scan_parquet(file) for file in sorted(glob.glob(f"{folder}/ATT/*.parquet"))]
attitude = polars.concat(files, how="diagonal_relaxed").collect()
assert sorted(attitude.select("TimeUS", "Roll", "Yaw").rows()) == rows, attitude
# The file with the most columns first.
files = sorted(glob.glob(f"{folder}/ATT/*.parquet"), key=lambda file: -len(polars.read_parquet_schema(file)))
narrow = polars.read_parquet(files[1]).with_columns(polars.col("Roll").cast(polars.Float64))
narrow.write_parquet(f"{folder}/narrow.parquet")
attitude = polars.scan_parquet([files[0], f"{folder}/narrow.parquet"], missing_columns="insert").collect()
assert sorted(attitude.select("TimeUS", "Roll", "Yaw").rows()) == rows, attitude
