"""The box's own authority and the certificates of its servers, made anew by each process.

When a certificate ends is relative to the clock of now, so nothing here can be kept in a file.
"""

import datetime
from functools import lru_cache
from typing import Literal

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

Kind = Literal["valid", "expired", "wrong_name", "self_signed"]
OTHER_NAME = "other.invalid"  # in a certificate of the wrong name
_DAY = datetime.timedelta(days=1)
_CURVE = ec.SECP256R1()  # a key takes a millisecond, where one of RSA takes a tenth of a second


class _Pair:
    """A certificate with its key, signed by the issuer, or by itself where there is none."""

    def __init__(
        self,
        name: str,
        *,
        issuer: "_Pair | None" = None,
        is_authority: bool = False,
        is_expired: bool = False,
    ) -> None:
        self.key = ec.generate_private_key(_CURVE)
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.UTC)
        builder = x509.CertificateBuilder(
            issuer_name=issuer.name if issuer else self.name,
            subject_name=self.name,
            public_key=self.key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - 30 * _DAY,
            not_valid_after=now - _DAY if is_expired else now + 3650 * _DAY,
        )
        constraints = x509.BasicConstraints(ca=is_authority, path_length=None)
        builder = builder.add_extension(constraints, critical=True)
        if not is_authority:
            names = x509.SubjectAlternativeName([x509.DNSName(name)])
            builder = builder.add_extension(names, critical=False)
        signer = issuer.key if issuer else self.key
        self.certificate = builder.sign(signer, hashes.SHA256())

    def write_certificate(self) -> str:
        return self.certificate.public_bytes(Encoding.PEM).decode()

    def write_key(self) -> str:
        key = self.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return key.decode()


@lru_cache(maxsize=1)
def _open_authority() -> _Pair:
    return _Pair("Authority of the box", is_authority=True)


def write_authority() -> str:
    """The certificate, as PEM, that a client has to trust; the key never leaves this process."""
    return _open_authority().write_certificate()


@lru_cache(maxsize=128)
def issue_certificate(kind: Kind, host: str) -> str:
    """Key and certificate, as PEM, of the server of this name; the same for the whole process.

    valid: of the box's authority. expired: it was, until yesterday. wrong_name: it is, for another
    host. self_signed: for this host, and nobody vouches for it.
    """
    issuer = None if kind == "self_signed" else _open_authority()
    name = OTHER_NAME if kind == "wrong_name" else host
    pair = _Pair(name, issuer=issuer, is_expired=kind == "expired")
    return pair.write_key() + pair.write_certificate()
