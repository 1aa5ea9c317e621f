import datetime
import socketserver
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def issue(path, name, by=None, days=3):
    """Write a certificate and its key for a host, or of an authority; (certificate, key)."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    today = datetime.datetime.utcnow()
    builder = x509.CertificateBuilder(
        issuer_name=by[0].subject if by else own, subject_name=own, public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=today - datetime.timedelta(days=9),
        not_valid_after=today + datetime.timedelta(days=days),
    ).add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
    if by:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
    certificate = builder.sign(by[1] if by else key, hashes.SHA256())
    with open(path, "wb") as file:
        form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        file.write(key.private_bytes(serialization.Encoding.PEM, *form))
        file.write(certificate.public_bytes(serialization.Encoding.PEM))
    return certificate, key


class Answer(socketserver.StreamRequestHandler):
    def handle(self):
        line = self.rfile.readline()
        self.wfile.write(b"got " + line)


def served():
    """The port of a collector with a certificate of the authority in ca.pem."""
    authority = issue("ca.pem", "Company")
    issue("server.pem", "localhost", authority)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain("server.pem")
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def test_a_report():
    import program

    collector = program.Collector("localhost", served(), "ca.pem")
    assert collector.send("all is well") == "got all is well"
    assert collector.send("Zoë was here") == "got Zoë was here"


def test_nobody_there():
    import program

    issue("ca.pem", "Company")
    try:
        program.Collector("localhost", 9, "ca.pem").send("x")
    except OSError:
        return
    raise AssertionError("sent")
