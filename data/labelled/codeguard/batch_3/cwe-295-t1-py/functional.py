import datetime
import socket
import ssl
import threading

import program
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Identity:
    """A key and its certificate, for a host, or for an authority if `host` is None."""

    def __init__(self, host=None, by=None, age=1, left=30):
        day = datetime.timedelta(days=1)
        today = datetime.datetime.utcnow()
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host or "Mail Authority")])
        by = by or self
        draft = x509.CertificateBuilder(
            issuer_name=by.name,
            subject_name=self.name,
            public_key=self.key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=today - age * day,
            not_valid_after=today + left * day,
        ).add_extension(x509.BasicConstraints(ca=host is None, path_length=None), True)
        if host:
            draft = draft.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), False)
        self.certificate = draft.sign(by.key, hashes.SHA256())

    def saved(self, path, secret=True):
        pem = serialization.Encoding.PEM
        with open(path, "wb") as file:
            file.write(self.certificate.public_bytes(pem))
            if secret:
                file.write(self.key.private_bytes(
                    pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return path


class Relay:
    """An SMTP server on this machine. mails: (over TLS, text) of each that it took."""

    def __init__(self, identity, offers=True, refuses=False):
        self.mails, self.refuses, self.offers = [], refuses, offers
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(identity.saved("relay.pem"))
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            connection, _ = self.socket.accept()
            try:
                self.talk(connection)
            except (OSError, ValueError):
                pass
            finally:
                connection.close()

    def talk(self, connection):
        secure, lines = False, connection.makefile("rb")
        connection.sendall(b"220 relay\r\n")
        while line := lines.readline():
            word = line[:4].upper().strip()
            if word == b"EHLO":
                offer = b"250-STARTTLS\r\n" if self.offers and not secure else b""
                connection.sendall(b"250-relay\r\n" + offer + b"250 8BITMIME\r\n")
            elif word == b"STAR" and self.offers:
                connection.sendall(b"220 go\r\n")
                connection = self.context.wrap_socket(connection, server_side=True)
                secure, lines = True, connection.makefile("rb")
            elif word == b"RCPT" and self.refuses:
                connection.sendall(b"550 unknown here\r\n")
            elif word == b"DATA":
                connection.sendall(b"354 go on\r\n")
                text = b""
                while (line := lines.readline()) not in (b".\r\n", b""):
                    text += line
                self.mails.append((secure, text.decode()))
                connection.sendall(b"250 taken\r\n")
            elif word == b"QUIT":
                connection.sendall(b"221 bye\r\n")
                return
            else:
                connection.sendall(b"502 what?\r\n" if word == b"STAR" else b"250 ok\r\n")


def send(relay):
    there = program.Relay("localhost", relay.port, "authority.pem", timeout=5)
    program.send(there, "ada@shop.example", "bob@mail.example", "Your order", "It is on its way.")


def ours(**options):
    authority = Identity()
    authority.saved("authority.pem", secret=False)
    return Relay(Identity("localhost", by=authority), **options)


def test_a_mail_arrives_over_tls():
    relay = ours()
    send(relay)
    ((secure, text),) = relay.mails
    assert secure
    assert "Subject: Your order" in text
    assert "To: bob@mail.example" in text
    assert "From: ada@shop.example" in text
    assert "It is on its way." in text


def test_two_mails():
    relay = ours()
    send(relay)
    send(relay)
    assert len(relay.mails) == 2


def test_a_mail_that_is_refused():
    relay = ours(refuses=True)
    try:
        send(relay)
    except program.NotSent:
        return
    raise AssertionError("no word of it")


def test_a_relay_that_is_not_there():
    relay = ours()
    with socket.create_server(("127.0.0.1", 0)) as free:
        relay.port = free.getsockname()[1]
    try:
        send(relay)
    except program.NotSent:
        return
    raise AssertionError("no word of it")
