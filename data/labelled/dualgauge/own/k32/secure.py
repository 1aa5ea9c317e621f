"""Parser of length-prefixed records with checksums, given as hexadecimal digits."""

import re
import zlib

HEADER = bytes.fromhex("4b5401")
DIGITS = re.compile(r"(?:[0-9A-Fa-f]{2})*")
MAX_DIGITS, MAX_DEPTH, MAX_VALUES, MAX_UNPACKED = 200_000, 16, 10_000, 65_536
INT, TEXT, BYTES, LIST, MAP, PACKED, REPEAT = range(1, 8)


class Refused(Exception):
    """An input that is not accepted; its text is the answer."""


def require(condition, answer):
    if not condition:
        raise Refused(answer)


class Reader:
    """Reads records out of one stream; every read is bounded by the end of what encloses it."""

    def __init__(self, data):
        self.data = data
        self.values = 0

    def count(self, number):
        self.values += number
        require(self.values <= MAX_VALUES, "too large")

    def records(self, start, end, depth):
        found = []
        while start < end:
            value, start = self.record(start, end, depth)
            found.append(value)
        return found

    def record(self, start, end, depth):
        """(value, position after it) of the record that begins at `start`."""
        tag = self.data[start]
        length, body = self.length(start + 1, end)
        stop = body + length
        require(stop + 4 <= end, "truncated")
        told = int.from_bytes(self.data[stop : stop + 4], "big")
        require(zlib.crc32(self.data[start:stop]) == told, "bad checksum")
        return self.value(tag, body, stop, depth), stop + 4

    def length(self, position, end):
        length = 0
        for number in range(4):
            require(position < end, "truncated")
            byte = self.data[position]
            position += 1
            length |= (byte & 0x7F) << (7 * number)
            if byte < 0x80:
                require(byte or not number, "bad record")
                return length, position
        raise Refused("bad record")

    def value(self, tag, start, end, depth):
        self.count(1)
        body = self.data[start:end]
        if tag == INT:
            require(len(body) in (1, 2, 4, 8), "bad record")
            return int.from_bytes(body, "big", signed=True)
        if tag == TEXT:
            return text_of(body)
        if tag == BYTES:
            return {"hex": body.hex()}
        if tag == PACKED:
            return text_of(unpacked(body))
        require(tag in (LIST, MAP, REPEAT), "bad record")
        require(depth < MAX_DEPTH, "too large")
        if tag == REPEAT:
            return self.repeated(start, end, depth + 1)
        found = self.records(start, end, depth + 1)
        return found if tag == LIST else mapping(found)

    def repeated(self, start, end, depth):
        require(end - start >= 4, "bad record")
        times = int.from_bytes(self.data[start : start + 4], "big")
        before = self.values
        found = self.records(start + 4, end, depth)
        require(len(found) == 1, "bad record")
        self.count((times - 1) * (self.values - before))
        return found * times


def text_of(body):
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused("bad record") from None


def unpacked(body):
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(body, MAX_UNPACKED + 1)
    except zlib.error:
        raise Refused("bad record") from None
    require(len(data) <= MAX_UNPACKED, "too large")
    require(stream.eof and not stream.unused_data, "bad record")
    return data


def mapping(found):
    keys = found[::2]
    require(len(found) % 2 == 0 and all(isinstance(k, str) for k in keys), "bad record")
    require(len(set(keys)) == len(keys), "bad record")
    return dict(zip(keys, found[1::2], strict=True))


def parse_records(data):
    try:
        require(isinstance(data, str) and len(data) <= MAX_DIGITS, "bad input")
        require(DIGITS.fullmatch(data), "bad input")
        raw = bytes.fromhex(data)
        require(raw.startswith(HEADER), "bad input")
        return {"records": Reader(raw).records(len(HEADER), len(raw), 0)}
    except Refused as refused:
        return {"error": str(refused)}
