"""Logs made in code."""


def record(kind, payload):
    return bytes([0xA3, 0x95, kind]) + payload


def definition(kind, length, name, formats, labels):
    fields = (name, 4), (formats, 16), (labels, 64)
    return record(128, bytes([kind, length]) + b"".join(text.encode().ljust(width, b"\0") for text, width in fields))


FMT = definition(128, 89, "FMT", "BBnNZ", "Type,Length,Name,Format,Columns")
