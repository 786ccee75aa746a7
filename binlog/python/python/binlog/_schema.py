"""Dataclasses as types of a log: what the annotations say, in the notation of lock files."""

import dataclasses
import enum
import numbers
import typing


@dataclasses.dataclass(frozen=True)
class Field:
    """How a log stores a field of a dataclass: ``Roll: Annotated[float, binlog.Field("c", unit="deg")]``.

    `format` is ArduPilot's character. `unit` is a unit of ArduPilot's table, or one of your own with its id: ``"T=uT"``.
    `multiplier` is what a stored integer is multiplied by to be in the unit; one of your own is ``"T=0.5"``. `instance`
    marks the column that separates several sensors.
    """

    format: str
    unit: str = ""
    multiplier: float | str | None = None
    description: str = ""
    instance: bool = False

    def __post_init__(self) -> None:
        for name, value in ("format", self.format), ("unit", self.unit), ("description", self.description):
            if not isinstance(value, str):
                raise TypeError(f"binlog.Field: the {name} is a text, not {value!r}")
        if not isinstance(self.multiplier, (str, numbers.Real, type(None))):
            raise TypeError(f"binlog.Field: the multiplier is a number or a text, not {self.multiplier!r}")


TIME = Field("Q", "s", 1e-6, "Time since boot.")
"""How `TimeUS` is stored."""

FORMATS = {bool: "B", int: "i", float: "f", str: "Z"}
"""Of types without a `Field`."""

TEXTS = "nNZ"
CHARACTERS = "abBcCdeEfghHiILMnNqQZ"
"""ArduPilot's, of all formats."""


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return '"' + "".join(c if c.isprintable() or c == " " else f"\\u{{{ord(c):x}}}" for c in escaped) + '"'


def name(text: str) -> str:
    return text if text.isascii() and text.replace("_", "a").isalnum() else quoted(text)


def type_name(cls: type) -> str:
    of_log = getattr(cls, "__log_name__", cls.__name__)
    if not isinstance(of_log, str):
        raise TypeError(f"{cls.__name__}: __log_name__ is a text, not {of_log!r}")
    return of_log


def field_of(label: str, annotation: typing.Any) -> tuple[Field, type]:
    """How a field is stored, and its type."""
    type_, *extras = typing.get_args(annotation) if hasattr(annotation, "__metadata__") else (annotation,)
    fields = [extra for extra in extras if isinstance(extra, Field)]
    if len(fields) > 1:
        raise TypeError("it has several `binlog.Field`")
    if Field in extras:
        raise TypeError('`binlog.Field` has a format; write binlog.Field("f")')
    if fields:
        return fields[0], type_
    if label == "TimeUS":
        return TIME, type_
    known = [key for key in FORMATS if isinstance(type_, type) and issubclass(type_, key)]
    if not known:
        raise TypeError(f"{type_!r} has no format; write Annotated[…, binlog.Field(\"f\")], or bool, int, float or str")
    return Field(FORMATS[known[0]]), type_


def scale_of(field: Field) -> tuple[str, str]:
    """The unit and the multiplier, with those that the format or the unit implies."""
    if field.instance:
        return "instance", "-"
    if field.multiplier is not None:
        multiplier = field.multiplier if isinstance(field.multiplier, str) else repr(float(field.multiplier))
    elif field.format in ("c", "C", "e", "E"):
        multiplier = "1e-2"
    elif field.format == "L":
        multiplier = "1e-7"
    else:
        multiplier = "1" if field.unit and field.format not in TEXTS else "-"
    return field.unit or "-", multiplier


def lines_of(cls: type, number: int) -> tuple[list[str], list[str]]:
    """The lines of a type, and those of its descriptions."""
    of_type = name(type_name(cls))
    try:
        annotations = typing.get_type_hints(cls, include_extras=True)
    except NameError as error:
        text = f"{type_name(cls)}: an annotation uses {error.name}, which its module hasn't; define both outside of functions"
        raise NameError(text, name=error.name) from None
    labels = [field.name for field in dataclasses.fields(cls)]
    if not labels:
        raise ValueError(f"{type_name(cls)} has no fields; the first one is TimeUS")
    lines = [f".. {of_type} id {number}", f".. {of_type} order {','.join(map(name, labels))}"]
    doc = cls.__doc__ or ""
    descriptions = [] if doc.startswith(f"{cls.__name__}(") or not doc else [f"{of_type} {quoted(plain(doc))}"]
    for label in labels:
        column = f"{of_type}.{name(label)}"
        try:
            field, type_ = field_of(label, annotations[label])
        except TypeError as error:
            raise TypeError(f"{type_name(cls)}.{label}: {error}") from None
        unit, multiplier = scale_of(field)
        own, is_own, own_name = unit.partition("=")
        if is_own and len(own) == 1 and own_name:
            unit = f"{own}={quoted(own_name)}"
        elif is_own or unit.split() != [unit]:
            raise ValueError(f"{type_name(cls)}.{label}: {unit!r} is not a known unit")
        if len(field.format) != 1 or field.format not in CHARACTERS:
            known = " ".join(CHARACTERS)
            raise ValueError(f"{type_name(cls)}.{label}: {field.format!r} is not a format character; there are {known}")
        if multiplier.split() != [multiplier]:
            raise ValueError(f"{type_name(cls)}.{label}: {multiplier!r} is not a valid multiplier")
        lines.append(f".. {column} {field.format} {unit} {multiplier}")
        if field.description:
            descriptions.append(f"{column} {quoted(plain(field.description))}")
        if isinstance(type_, type) and issubclass(type_, enum.IntFlag):
            single = [bit for bit in type_ if bit.value > 0 and bit.value & (bit.value - 1) == 0]
            lines += [f".. {column} & {bit.value.bit_length() - 1} {quoted(str(bit.name))}" for bit in single]
        elif isinstance(type_, type) and issubclass(type_, enum.IntEnum):
            lines += [f".. {column} = {value.value} {quoted(value.name)}" for value in type_]
    return lines, descriptions


def plain(text: str) -> str:
    return " ".join(text.split())


def lock_of(classes: list[type]) -> str:
    """The dataclasses in the notation of lock files."""
    seen: set[str] = set()
    lines, descriptions = ["binlog-lock 1"], ["descriptions"]
    for number, cls in enumerate(dict.fromkeys(classes), 1):
        if type_name(cls) in seen:
            raise ValueError(f"two dataclasses are named {type_name(cls)}")
        seen.add(type_name(cls))
        facts, described = lines_of(cls, min(number, 254))
        lines += facts
        descriptions += described
    return "\n".join(lines + descriptions) + "\n"
