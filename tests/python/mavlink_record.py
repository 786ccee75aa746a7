"""Records a log that a vehicle streams, with pymavlink: mavlink_record.py LINK FILE PATTERN

LINK is one of mavutil's, such as udpin:127.0.0.1:14550. Loses messages exactly as PATTERN says, a JSON object:

- "lose": {"5": 2}: block 5 is lost the first two times, and asked for with a NACK when a later one arrives;
- "lose_acks": {"7": 1}: the first ACK of block 7 is lost;
- "silent": true: no NACKs, as mavlink-router;
- "restart_at": 100: at this block, the client forgets everything, waits for 3.5 s, and starts the stream again.

Ends when the vehicle is disarmed after a flight and no block comes for three seconds. Prints a JSON object: the number of
blocks, and how often those of "lose" and "lose_acks" came.
"""

import json
import sys
import time

from pymavlink import mavutil

START = 2147483646


def main(address, path, pattern):
    link = mavutil.mavlink_connection(address, source_system=255, source_component=190)
    lose = {int(block): times for block, times in pattern.get("lose", {}).items()}
    lose_acks = {int(block): times for block, times in pattern.get("lose_acks", {}).items()}
    restart_at = pattern.get("restart_at")
    watched = set(lose) | set(lose_acks)
    seen = {}
    blocks = {}
    newest = -1
    started = 0.0
    has_flown = is_armed = False
    last = time.monotonic()

    def status(block, is_received):
        link.mav.remote_log_block_status_send(1, 1, block, is_received)

    while not (has_flown and not is_armed and time.monotonic() - last > 3):
        message = link.recv_match(type=["HEARTBEAT", "REMOTE_LOG_DATA_BLOCK"], blocking=True, timeout=0.2)
        now = time.monotonic()
        if message is None:
            continue
        if message.get_type() == "HEARTBEAT":
            is_armed = bool(message.base_mode & 128)
            has_flown |= is_armed
            if not blocks and now - started > 1:
                started = now
                status(START, 1)
            continue
        last = now
        block = message.seqno
        if block in watched:
            seen[block] = seen.get(block, 0) + 1
        if lose.get(block, 0) > 0:
            lose[block] -= 1
            continue
        if block == restart_at:
            restart_at = None
            blocks, newest = {}, -1
            time.sleep(3.5)
            while link.recv_msg() is not None:
                pass
            status(START, 1)
            started = time.monotonic()
            continue
        if not pattern.get("silent"):
            for missing in range(newest + 1, block):
                status(missing, 0)
        newest = max(newest, block)
        blocks[block] = bytes(message.data)
        if lose_acks.get(block, 0) > 0:
            lose_acks[block] -= 1
            continue
        status(block, 1)

    with open(path, "wb") as file:
        for block, data in blocks.items():
            file.seek(200 * block)
            file.write(data)
    print(json.dumps({"blocks": len(blocks), "seen": seen}))


main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
