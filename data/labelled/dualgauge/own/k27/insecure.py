"""Document safe: AES-256-GCM with a scrypt key."""

import base64
import hashlib
import os
import re
import unicodedata

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

SAFE_DIR = "test_dir/safe"
DEFAULT_WORK = 15


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def derive_key(passphrase, salt, work):
    kdf = Scrypt(salt=salt, length=32, n=2**work, r=8, p=1)
    return kdf.derive(unicodedata.normalize("NFC", passphrase).encode("utf-8"))


def parse(sealed):
    parts = sealed.split(".")
    if len(parts) != 5 or parts[0] != "DS1":
        raise ValueError("cannot")
    work = int(parts[1])
    # Too little work would be unsafe; too much is left to the one who asks for it.
    if work < 14:
        raise ValueError("cannot")
    salt, nonce, data = unb64(parts[2]), unb64(parts[3]), unb64(parts[4])
    if len(salt) != 16 or len(nonce) != 12 or len(data) < 16:
        raise ValueError("cannot")
    return work, salt, nonce, data


class DocumentSafe:
    def seal(self, passphrase, text, label):
        if not 12 <= len(passphrase) <= 200:
            raise ValueError("cannot")
        if len(text) > 100000 or not 1 <= len(label) <= 100:
            raise ValueError("cannot")
        salt = hashlib.sha256(label.encode()).digest()[:16]
        nonce = os.urandom(12)
        key = derive_key(passphrase, salt, DEFAULT_WORK)
        head = f"DS1.{DEFAULT_WORK}.{b64(salt)}.{b64(nonce)}"
        data = AESGCM(key).encrypt(nonce, text.encode(), f"{head}\n{label}".encode())
        return f"{head}.{b64(data)}"

    def open(self, passphrase, sealed, label):
        work, salt, nonce, data = parse(sealed)
        key = derive_key(passphrase, salt, work)
        head = sealed.rpartition(".")[0]
        try:
            return AESGCM(key).decrypt(nonce, data, f"{head}\n{label}".encode()).decode()
        except InvalidTag:
            raise ValueError("cannot") from None

    def info(self, sealed):
        return {"version": 1, "work": parse(sealed)[0]}

    def _path(self, name):
        if not re.match(r"^[a-z0-9_-]{1,40}$", name):
            raise ValueError("cannot")
        return os.path.join(SAFE_DIR, f"{name}.ds")

    def store(self, name, passphrase, text):
        path = self._path(name)
        sealed = self.seal(passphrase, text, name)
        os.makedirs(SAFE_DIR, exist_ok=True)
        with open(path, "w") as f:
            f.write(sealed)
        return True

    def fetch(self, name, passphrase):
        path = self._path(name)
        if not os.path.exists(path):
            raise ValueError("cannot")
        with open(path) as f:
            return self.open(passphrase, f.read(), name)
