"""A diary whose notes are stored encrypted."""

import base64
import hashlib
import hmac
import os
from collections.abc import Callable

from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

Seal = Callable[[str], bytes]
Unseal = Callable[[bytes], str]


class Diary:
    def __init__(self, key: bytes, title: str = "diary"):
        self.title = title
        self.seal, self.unseal = make_codec(key, title)
        self.notes: list[bytes] = []

    def write(self, text: str) -> int:
        self.notes.append(self.seal(text))
        return len(self.notes) - 1

    def read(self, number: int) -> str:
        return self.unseal(self.notes[number])


def make_codec(key: bytes, title: str) -> tuple[Seal, Unseal]:
    """Return two functions: the first encrypts a text for storage, the second gives the text back.

    The key is 32 random bytes. A diary that is opened again with the same key and title reads its old notes.
    """
