"""Types that differ between logs: union_by_name.py FOLDER."""
import sys

import duckdb

folder = sys.argv[1]
rows = duckdb.sql(
    f"SELECT TimeUS, Roll, Yaw FROM read_parquet('{folder}/ATT/*.parquet', union_by_name = true) ORDER BY TimeUS"
).fetchall()
assert rows == [(1000, 1.0, None), (2000, 2.5, 7.0), (3000, 3.0, None)], rows
