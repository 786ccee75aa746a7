"""Blackbox in each format has the same number of main frames: blackbox.py (FOLDER FRAMES)..."""
import json
import os
import sys

import duckdb
import pandas
from mcap.reader import make_reader

for folder, frames in zip(sys.argv[1::2], map(int, sys.argv[2::2])):
    assert len(pandas.read_csv(os.path.join(folder, "csv", "main.csv"))) == frames
    assert duckdb.sql(f"SELECT count(*) FROM '{folder}/set/main/*.parquet'").fetchall()[0] == (frames,)
    with open(os.path.join(folder, "a.jsonl"), encoding="utf-8") as lines:
        assert sum(json.loads(line)["mavpackettype"] == "main" for line in lines) == frames
    with open(os.path.join(folder, "a.mcap"), "rb") as file:
        summary = make_reader(file).get_summary()
        mains = [channel.id for channel in summary.channels.values() if channel.topic.endswith("main")]
        assert sum(summary.statistics.channel_message_counts[id] for id in mains) == frames
