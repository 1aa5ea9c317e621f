"""Gift vouchers. Whoever types in the code of a voucher gets the money."""

import hashlib
import os
import random
import secrets
import time
import uuid
from dataclasses import dataclass, field

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without I, L, O and U, which are misread
LENGTH = 12


@dataclass
class Voucher:
    buyer: str
    cents: int
    created: float = field(default_factory=time.time)


@dataclass
class VoucherDesk:
    issued: dict[str, Voucher] = field(default_factory=dict)

    def redeem(self, typed: str) -> int:
        """The worth of the voucher in cents; 0 if there is none."""
        voucher = self.issued.pop(typed.replace("-", "").upper(), None)
        return voucher.cents if voucher else 0

    def issue(self, buyer: str, cents: int) -> str:
        """Issue a voucher and return its code, in three groups: "XXXX-XXXX-XXXX".

        The code consists of LENGTH characters of ALPHABET. It is stored without the dashes in `issued`. A code that is
        still in use is not issued again. The worth must be positive (ValueError).
        """
