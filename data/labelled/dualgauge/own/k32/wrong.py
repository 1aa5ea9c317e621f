"""Reads record streams with a cursor over a memoryview; nothing is read past its own view."""

import string
import zlib

LIMITS = {"digits": 200_000, "depth": 16, "values": 10_000, "unpacked": 65_536}


class Bad(Exception):
    pass


class Cursor:
    def __init__(self, view, budget, depth=0):
        self.view, self.budget, self.depth, self.at = view, budget, depth, 0

    def take(self, size):
        if size > len(self.view) - self.at:
            raise Bad("truncated")
        self.at += size
        return self.view[self.at - size : self.at]

    def done(self):
        return self.at == len(self.view)

    def varint(self):
        value = 0
        for shift in (0, 7, 14, 21):
            byte = self.take(1)[0]
            value += (byte % 128) << shift
            if byte < 128:
                if shift and not byte:
                    raise Bad("bad record")
                return value
        raise Bad("bad record")

    def inside(self, view):
        if self.depth + 1 >= LIMITS["depth"]:
            raise Bad("too large")
        return Cursor(view, self.budget, self.depth + 1)

    def one(self):
        begin = self.at
        tag = self.take(1)[0]
        body = self.take(self.varint())
        check = zlib.crc32(self.view[begin : self.at])
        if self.take(4) != check.to_bytes(4, "big"):
            raise Bad("bad checksum")
        spend(self.budget, 1)
        return self.meaning(tag, body)

    def all(self):
        found = []
        while not self.done():
            found.append(self.one())
        return found

    def meaning(self, tag, body):
        if tag == 1 and len(body) in (1, 2, 4, 8):
            return int.from_bytes(body, "big")
        if tag == 2:
            return read_text(bytes(body))
        if tag == 3:
            return {"hex": bytes(body).hex().upper()}
        if tag == 4:
            return self.inside(body).all()
        if tag == 5:
            return self.pairs(self.inside(body).all())
        if tag == 6:
            return read_text(inflate(bytes(body)))
        if tag == 7 and len(body) >= 4:
            return self.times(int.from_bytes(body[:4], "big"), body[4:])
        raise Bad("bad record")

    def pairs(self, found):
        result = {}
        while found:
            key, value = found.pop(0), found.pop(0) if found else Bad
            if not isinstance(key, str) or key in result or value is Bad:
                raise Bad("bad record")
            result[key] = value
        return result

    def times(self, count, body):
        before = self.budget[0]
        found = self.inside(body).all()
        if len(found) != 1 or not count:
            raise Bad("bad record")
        spend(self.budget, (before - self.budget[0]) * (count - 1))
        return found * count


def spend(budget, amount):
    budget[0] -= amount
    if budget[0] < 0:
        raise Bad("too large")


def read_text(raw):
    try:
        return raw.decode().strip()
    except UnicodeError:
        raise Bad("bad record") from None


def inflate(raw):
    machine = zlib.decompressobj()
    try:
        result = machine.decompress(raw, LIMITS["unpacked"])
    except zlib.error:
        raise Bad("bad record") from None
    if machine.unconsumed_tail or machine.unused_data or not machine.eof:
        raise Bad("bad record")
    return result


def parse_records(data):
    if not isinstance(data, str) or len(data) > LIMITS["digits"] or len(data) % 2:
        return {"error": "bad input"}
    if not set(data) <= set(string.hexdigits) or not data.startswith("4b5401"):
        return {"error": "bad input"}
    try:
        cursor = Cursor(memoryview(bytes.fromhex(data))[3:], [LIMITS["values"]])
        return {"records": cursor.all()}
    except Bad as error:
        return {"error": str(error)}
