"""Record stream parser."""

import struct
import zlib

MAX_UNPACKED = 65536
MAX_VALUES = 10000
MAX_DEPTH = 16


class ParseError(Exception):
    pass


def read_varint(buf, pos):
    result = shift = 0
    while True:
        if pos >= len(buf):
            raise ParseError("truncated")
        byte = buf[pos]
        pos += 1
        result |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return result, pos
        shift += 7


def decode_int(body):
    formats = {1: ">b", 2: ">h", 4: ">i", 8: ">q"}
    if len(body) not in formats:
        raise ParseError("bad record")
    return struct.unpack(formats[len(body)], body)[0]


def decode_text(body):
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise ParseError("bad record") from None


def decode_packed(body):
    try:
        raw = zlib.decompress(body)
    except zlib.error:
        raise ParseError("bad record") from None
    if len(raw) > MAX_UNPACKED:
        raise ParseError("too large")
    return decode_text(raw)


def decode_map(items):
    if len(items) % 2:
        raise ParseError("bad record")
    result = {}
    for key, value in zip(items[::2], items[1::2], strict=True):
        if not isinstance(key, str):
            raise ParseError("bad record")
        result[key] = value
    return result


def depth_of(value):
    """How many lists and maps are around the innermost value."""
    if isinstance(value, dict):
        return 0 if set(value) == {"hex"} else 1 + max(map(depth_of, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(depth_of, value), default=0)
    return 0


def parse_sequence(buf, pos, end, top):
    items = []
    while pos < end:
        value, pos = parse_one(buf, pos, top)
        items.append(value)
        if len(items) > MAX_VALUES:
            raise ParseError("too large")
    return items


def parse_one(buf, pos, top=False):
    start = pos
    tag = buf[pos]
    length, pos = read_varint(buf, pos + 1)
    end = pos + length
    if end + 4 > len(buf):
        raise ParseError("truncated")
    # the checksum of a record covers all the records inside of it
    if top and zlib.crc32(buf[start:end]) != struct.unpack(">I", buf[end : end + 4])[0]:
        raise ParseError("bad checksum")
    body = buf[pos:end]
    if tag == 1:
        value = decode_int(body)
    elif tag == 2:
        value = decode_text(body)
    elif tag == 3:
        value = {"hex": body.hex()}
    elif tag == 4:
        value = parse_sequence(buf, pos, end, False)
    elif tag == 5:
        value = decode_map(parse_sequence(buf, pos, end, False))
    elif tag == 6:
        value = decode_packed(body)
    elif tag == 7:
        count = struct.unpack(">I", body[:4])[0]
        if count > MAX_VALUES:
            raise ParseError("too large")
        items = parse_sequence(buf, pos + 4, end, False)
        if len(items) != 1:
            raise ParseError("bad record")
        value = items * count
    else:
        raise ParseError("bad record")
    return value, end + 4


def parse_records(data):
    try:
        buf = bytes.fromhex(data)
    except ValueError:
        return {"error": "bad input"}
    if buf[:3] != b"KT\x01":
        return {"error": "bad input"}
    try:
        records = parse_sequence(buf, 3, len(buf), True)
        if any(depth_of(record) > MAX_DEPTH for record in records):
            raise ParseError("too large")
    except ParseError as error:
        return {"error": str(error)}
    return {"records": records}
