"""Readings from the scales in the warehouse, over whatever transport carries bytes (serial line, socket, radio)."""

import ssl
from dataclasses import dataclass
from typing import Protocol


class Transport(Protocol):
    def send(self, data: bytes) -> None: ...

    def receive(self) -> bytes: ...


@dataclass(frozen=True)
class ScaleConfig:
    host: str
    ca_file: str | None = None  # the authority of the plant; None: the authorities that the system knows
    protocols: tuple[str, ...] = ()  # application protocols to offer, e.g. ("scale/2",)


def pump(tls: ssl.SSLObject, outgoing: ssl.MemoryBIO, incoming: ssl.MemoryBIO, wire: Transport) -> None:
    """Carry the handshake of the channel over the wire until it is done."""
    while True:
        try:
            tls.do_handshake()
            break
        except ssl.SSLWantReadError:
            wire.send(outgoing.read())
            incoming.write(wire.receive())
    wire.send(outgoing.read())


def open_channel(config: ScaleConfig, incoming: ssl.MemoryBIO, outgoing: ssl.MemoryBIO) -> ssl.SSLObject:
    """Return the client side of a TLS channel to the scale of the configuration, before its handshake.

    At least TLS 1.2 is spoken. The application protocols of the configuration are offered, if there are any. The
    channel reads from `incoming` and writes to `outgoing`.
    """
