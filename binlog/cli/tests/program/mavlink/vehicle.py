"""A vehicle of pymavlink: vehicle.py PORT LOG VERSION SIGNED. It sends to a UDP port of this computer, streams the log
when it is asked, and has it as log 1. Every tenth packet is lost in both directions."""

import os
import socket
import sys
import time

port, path, version, is_signed = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4] == "signed"
if version == "2":
    os.environ["MAVLINK20"] = "1"
os.environ["MAVLINK_DIALECT"] = "ardupilotmega"
from pymavlink import mavutil

dialect = mavutil.mavlink
log = open(path, "rb").read()
blocks = [log[i : i + 200].ljust(200, b"\0") for i in range(0, len(log), 200)]
START, STOP = 2147483646, 2147483645

udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.connect(("127.0.0.1", port))
udp.setblocking(False)
count = 0


def is_lost():
    global count
    count += 1
    return count * 7919 % 1009 % 10 == 0


class File:
    def write(self, data):
        if not is_lost():
            try:
                udp.send(data)
            except OSError:
                pass


mav = dialect.MAVLink(File(), srcSystem=3, srcComponent=1)
mav.robust_parsing = True
if is_signed:
    mav.signing.secret_key = bytes(range(32))
    mav.signing.link_id = 1
    mav.signing.timestamp = 1
    mav.signing.sign_outgoing = True
    mav.signing.allow_unsigned_callback = lambda mav, id: True

client, unacknowledged, following = None, {}, 0
requests, entries, heartbeat, has_streamed = [], 0, 0, False
while True:
    now = time.monotonic()
    if now - heartbeat > 0.5:
        heartbeat = now
        mav.heartbeat_send(dialect.MAV_TYPE_QUADROTOR, dialect.MAV_AUTOPILOT_ARDUPILOTMEGA, 0, 0, 4)
        # Messages that aren't about logs.
        mav.attitude_send(int(now * 1000) & 0xFFFFFFFF, 0, 0, 0, 0, 0, 0)
        mav.statustext_send(6, b"flying")
    try:
        while True:
            data = udp.recv(2048)
            if is_lost():
                continue
            for message in mav.parse_buffer(data) or []:
                kind = message.get_type()
                if kind == "REMOTE_LOG_BLOCK_STATUS":
                    if message.seqno == START and client is None:
                        client = (message.get_srcSystem(), message.get_srcComponent())
                        following, unacknowledged = 0, {}
                    elif message.seqno == STOP:
                        client = None
                    elif message.status == dialect.MAV_REMOTE_LOG_DATA_BLOCK_ACK:
                        unacknowledged.pop(message.seqno, None)
                    elif message.seqno in unacknowledged:
                        unacknowledged[message.seqno] = 0
                elif kind == "LOG_REQUEST_LIST":
                    entries = 1
                elif kind == "LOG_REQUEST_DATA" and len(requests) < 32:
                    requests.append([message.ofs, message.count])
                elif kind == "LOG_REQUEST_END":
                    requests = []
    except (BlockingIOError, ConnectionRefusedError):
        pass
    if entries:
        entries = 0
        mav.log_entry_send(1, 1, 1, 1764000000, len(log))
    for _ in range(5):
        if requests:
            offset, wanted = requests[0]
            data = log[offset : offset + min(wanted, 90)]
            mav.log_data_send(1, offset, len(data), data.ljust(90, b"\0"))
            requests[0] = [offset + len(data), wanted - len(data)]
            if len(data) < 90 or requests[0][1] == 0:
                requests.pop(0)
        if client:
            due = next((seqno for seqno, sent in unacknowledged.items() if now - sent > 0.1), None)
            if due is None and following < len(blocks) and len(unacknowledged) < 40:
                due = following
                following += 1
            if due is not None:
                unacknowledged[due] = now
                mav.remote_log_data_block_send(*client, due, blocks[due])
            elif following == len(blocks) and not unacknowledged and not has_streamed:
                has_streamed = True
                print("streamed", flush=True)
    time.sleep(0.001)
