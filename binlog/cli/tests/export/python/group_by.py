"""One GROUP BY over a data set of many logs: group_by.py FOLDER LOGS RECORDS."""
import sys

import duckdb

folder, logs, records = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
rows = duckdb.sql(f"SELECT log_id, count(*), max(Roll) FROM '{folder}/ATT/*.parquet' GROUP BY log_id").fetchall()
assert len(rows) == logs and all(count == records for _, count, _ in rows), len(rows)
assert len({most for _, _, most in rows}) == logs
assert duckdb.sql(f"SELECT count(DISTINCT log_id) FROM '{folder}/logs/*.parquet'").fetchall()[0] == (logs,)
