"""Prints pymavlink's view of a whole log, as a JSON object for the tests.

    {"timebase": ..., "vehicle": 2, "params": {...}, "defaults": {...}, "modes": [["AUTO", ..., ...], ...]}
The time of boot in seconds since 1970, 0 if it is unknown; the vehicle as a MAV_TYPE; the last value and default of
each parameter; each mode with its first and last time. A float is {"f": its 64 bits in hexadecimal}.
"""

import json
import struct
import sys

from pymavlink import DFReader


def value(v):
    return {"f": struct.pack(">d", float(v)).hex()}


def values(parameters):
    return {name: value(v) for name, v in parameters.items()}


def main(path):
    log = DFReader.DFReader_binary(path)
    while log.recv_msg() is not None:
        pass
    facts = {
        "timebase": value(log.clock.timebase),
        "vehicle": log.mav_type,
        "params": values(log.params),
        # There is no such attribute before the first default.
        "defaults": values(getattr(log, "param_defaults", {})),
        "modes": [[name, value(start), value(end)] for name, start, end in log.flightmode_list()],
    }
    print(json.dumps(facts))


main(sys.argv[1])
