import datetime
import http.server
import ssl
import threading

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def certificate(name, issuer=None, alternative="localhost"):
    """(certificate, key), signed by `issuer`, or by itself as an authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    signer = issuer[1] if issuer else key
    uses = (n == 0 or (n == 5 and issuer is None) for n in range(9))  # signs; an authority: others
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.utcnow()
    builder = (
        x509.CertificateBuilder().subject_name(subject)
        .issuer_name(issuer[0].subject if issuer else subject).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(alternative)]), critical=False)
        .add_extension(x509.KeyUsage(*uses), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
    )
    return builder.sign(signer, hashes.SHA256()), key


def write(path, pair):
    with open(path, "wb") as file:
        file.write(pair[1].private_bytes(serialization.Encoding.PEM,
                   serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        file.write(pair[0].public_bytes(serialization.Encoding.PEM))


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        found = self.path == "/hello"
        self.send_response(200 if found else 404)
        self.end_headers()
        self.wfile.write(b"hello over tls" if found else b"nothing")

    def log_message(self, *args):
        pass


def serve(path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    server = http.server.HTTPServer(("127.0.0.1", 0), Page)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


def company():
    authority = certificate("Company CA")
    write("ca.pem", authority)
    write("server.pem", certificate("localhost", authority))
    return serve("server.pem")


def test_a_page_of_a_signed_server():
    import program

    assert program.fetch("localhost", company(), "/hello", "ca.pem") == b"hello over tls"


def test_another_status_is_an_error():
    import program

    try:
        program.fetch("localhost", company(), "/other", "ca.pem")
    except ValueError:
        return
    raise AssertionError("accepted")
