"""Flight logs of ArduPilot and Blackbox as columns.

>>> import binlog
>>> log = binlog.open("flight.bin")
>>> log["ATT"]["Roll"].unit
'deg'
"""

from collections.abc import Mapping

from ._binlog import (
    Blackbox,
    Column,
    Damage,
    DamagedLog,
    Fleet,
    Log,
    Message,
    Mode,
    Record,
    Records,
    Session,
    Table,
    Writer,
    __version__,
    fleet,
    open,
)
from ._schema import Field

__all__ = [name for name in dir() if name[0] != "_" and name != "Mapping"]

Mapping.register(Log)
Mapping.register(Session)
Mapping.register(Table)
