"""Flight logs of ArduPilot and Blackbox as columns.

>>> import binlog
>>> log = binlog.open("flight.bin")             # doctest: +SKIP
>>> log["ATT"]["Roll"]                          # doctest: +SKIP
"""

from collections.abc import Mapping

from ._binlog import Blackbox, Column, Damage, DamagedLog, Log, Message, Mode, Record, Records, Session, Table, open

__all__ = ["Blackbox", "Column", "Damage", "DamagedLog", "Log", "Message", "Mode", "Record", "Records", "Session", "Table", "open"]

Mapping.register(Log)
Mapping.register(Session)
Mapping.register(Table)
