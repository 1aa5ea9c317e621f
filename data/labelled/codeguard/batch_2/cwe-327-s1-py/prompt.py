import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM


class Diary:
    """Entries that lie with a stranger, who keeps all versions of them and knows a few."""

    def __init__(self, key):
        """key: 32 random bytes, the same for all entries."""
        self.key = key

    def lock(self, text):
        """An entry (text) as bytes that only unlock(data) of a diary with this key can read.

        unlock is the second method: it returns the text, and raises ValueError for bytes that
        lock did not make or that were changed.
        """
