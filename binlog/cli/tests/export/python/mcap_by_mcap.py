"""Reads MCAP with MCAP's own reader, and compares with pymavlink: mcap_by_mcap.py LOG FILE."""
import json
import sys

from mcap.reader import make_reader
from pymavlink import DFReader

log = DFReader.DFReader_binary(sys.argv[1])
rolls = []
texts = []
counts = {}
while (record := log.recv_msg()) is not None:
    counts[record.get_type()] = counts.get(record.get_type(), 0) + 1
    if record.get_type() == "ATT":
        rolls.append(record.Roll)
    if record.get_type() == "MSG":
        texts.append(record.Message)
with open(sys.argv[2], "rb") as file:
    reader = make_reader(file, validate_crcs=True)
    ours = []
    found = {}
    said = []
    fixes = 0
    for schema, channel, message in reader.iter_messages(log_time_order=False):
        assert channel.message_encoding == "json" and schema.encoding == "jsonschema"
        found[schema.name] = found.get(schema.name, 0) + 1
        if channel.topic == "/ATT":
            value = json.loads(message.data)
            ours.append(value["Roll"])
            assert message.log_time % 1000 == 0 and message.log_time > 1e18, "nanoseconds since 1970"
        if channel.topic == "/log":
            said.append(json.loads(message.data)["message"])
        if channel.topic == "/location":
            fix = json.loads(message.data)
            assert abs(fix["latitude"]) <= 90 and fix["timestamp"]["nsec"] < 1e9
            fixes += 1
    assert ours == rolls
    assert said == texts
    assert fixes > 0
    for name, count in counts.items():
        if name not in ("FMT", "FMTU", "UNIT", "MULT"):
            assert found[name] == count, (name, count, found.get(name))
    schemas = {schema.name: json.loads(schema.data) for schema in reader.get_summary().schemas.values()}
    assert schemas["ATT"]["properties"]["Roll"] == {"type": "number", "description": "deg"}
