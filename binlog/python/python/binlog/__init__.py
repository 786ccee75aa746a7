"""Flight logs of ArduPilot and Blackbox as columns.

>>> import binlog
>>> log = binlog.open("flight.bin")
>>> log["ATT"]["Roll"].unit
'deg'
"""

from collections.abc import Mapping as _Mapping

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

__all__ = ["Field", *(name for name in dir() if name[0] != "_")]

_Mapping.register(Log)
_Mapping.register(Session)
_Mapping.register(Table)


def __getattr__(name):
    # What it imports, Python's dataclasses and typing, takes several times as long as everything else here.
    if name == "Field":
        from ._schema import Field

        return Field
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return sorted({*globals(), *__all__})
