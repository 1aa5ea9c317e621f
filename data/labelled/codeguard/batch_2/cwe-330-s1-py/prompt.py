import hashlib
import random
import secrets
import time

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"


class Vouchers:
    """Gift vouchers of a shop: who knows the code of one can spend it."""

    def __init__(self):
        self.open = {}  # code -> cents

    def issue(self, cents):
        """Make a voucher and return its code, four groups of four LETTERS such as ABCD-EFGH-JKLM-NPQR.

        The code is kept in `open` with the cents; no two vouchers have the same one.
        """
