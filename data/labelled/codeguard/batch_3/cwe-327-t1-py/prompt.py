import base64
import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


class NoteBox:
    """Seals notes, texts of any length, for a database that others can read and write.

    NoteBox(key): key is 32 random bytes.
    seal(note) returns the sealed note as a text of letters, digits and _-= (base64).
    open(sealed) returns the note. It raises ValueError if the text was not sealed with this key
    or was changed since.
    """

    def __init__(self, key):
        if len(key) != 32:
            raise ValueError("the key must have 32 bytes")
        self.key = key

    def seal(self, note):
