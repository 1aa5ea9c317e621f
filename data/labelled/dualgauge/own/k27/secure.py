"""Seals documents with a passphrase: scrypt, AES-256-GCM, one spelling for every sealed text."""

import base64
import hashlib
import os
import re
import tempfile
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FOLDER = "test_dir/safe"
NAME = re.compile(r"[a-z0-9_-]{1,40}")
SEALED = re.compile(
    r"(DS1\.(1[456])\.([A-Za-z0-9_-]{22})\.([A-Za-z0-9_-]{16}))\.([A-Za-z0-9_-]{22,600000})"
)
WORK, TAG = 15, 16
MEMORY = 100 * 2**20


def require(condition):
    if not condition:
        raise ValueError("cannot")


def is_text(value, least, most):
    return isinstance(value, str) and least <= len(value) <= most


def encoded(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def decoded(text):
    """The bytes, if this is how they are spelled."""
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    require(encoded(data) == text)
    return data


def utf8(text):
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise ValueError("cannot") from None


def cipher(passphrase, salt, work):
    secret = utf8(unicodedata.normalize("NFC", passphrase))
    key = hashlib.scrypt(secret, salt=salt, n=2**work, r=8, p=1, maxmem=MEMORY, dklen=32)
    return AESGCM(key)


def split(sealed):
    """(text before the last dot, work, salt, nonce, data) of anything that has the form."""
    require(isinstance(sealed, str))
    found = SEALED.fullmatch(sealed)
    require(found and len(found[5]) % 4 != 1)
    return found[1], int(found[2]), decoded(found[3]), decoded(found[4]), decoded(found[5])


def path_of(name):
    require(isinstance(name, str) and NAME.fullmatch(name))
    return os.path.join(FOLDER, name + ".ds")


class DocumentSafe:
    def seal(self, passphrase, text, label):
        require(is_text(passphrase, 12, 200) and len(set(passphrase)) >= 5)
        require(is_text(text, 0, 100_000) and is_text(label, 1, 100))
        salt, nonce = os.urandom(16), os.urandom(12)
        head = f"DS1.{WORK}.{encoded(salt)}.{encoded(nonce)}"
        data = cipher(passphrase, salt, WORK).encrypt(nonce, utf8(text), utf8(f"{head}\n{label}"))
        return f"{head}.{encoded(data)}"

    def open(self, passphrase, sealed, label):
        require(is_text(passphrase, 1, 200) and is_text(label, 1, 100))
        head, work, salt, nonce, data = split(sealed)
        require(len(data) >= TAG)
        try:
            opened = cipher(passphrase, salt, work).decrypt(nonce, data, utf8(f"{head}\n{label}"))
            return opened.decode()
        except (InvalidTag, UnicodeDecodeError):
            raise ValueError("cannot") from None

    def info(self, sealed):
        return {"version": 1, "work": split(sealed)[1]}

    def store(self, name, passphrase, text):
        path = path_of(name)
        sealed = self.seal(passphrase, text, name)
        os.makedirs(FOLDER, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=FOLDER)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(sealed)
        os.replace(temporary, path)
        return True

    def fetch(self, name, passphrase):
        try:
            with open(path_of(name), encoding="ascii") as file:
                sealed = file.read(700_000)
        except (OSError, UnicodeDecodeError):
            raise ValueError("cannot") from None
        return self.open(passphrase, sealed, name)
