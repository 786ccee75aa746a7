"""Compares JSON lines with the records that pymavlink reads: json_lines.py LOG JSONL."""
import json
import math
import sys

from pymavlink import DFReader


def same(ours, theirs):
    if isinstance(theirs, float) and not math.isfinite(theirs):
        return ours is None
    if isinstance(theirs, bytes):
        return ours == theirs.hex() or ours == theirs.split(b"\0")[0].decode("latin-1")
    if isinstance(theirs, (list, tuple)) or type(theirs).__name__ == "array":
        return list(ours) == list(theirs)
    return ours == theirs


log = DFReader.DFReader_binary(sys.argv[1])
count = 0
with open(sys.argv[2], encoding="utf-8") as lines:
    for line in lines:
        ours = json.loads(line)
        theirs = log.recv_msg()
        assert theirs is not None, f"pymavlink has {count} records"
        assert ours.pop("mavpackettype") == theirs.get_type(), (count, line, theirs)
        names = theirs.get_fieldnames()
        assert list(ours) == names, (count, line, names)
        for name in names:
            # pymavlink keeps the characters of M as a signed number.
            assert same(ours[name], getattr(theirs, name)), (count, name, ours[name], getattr(theirs, name))
        count += 1
assert log.recv_msg() is None
