import hashlib
import random
import secrets
import time
from dataclasses import dataclass, field

LETTERS = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that is easily misread on paper


@dataclass
class Account:
    """Someone who logs in with a password and a second factor."""

    name: str
    backup_codes: list[str] = field(default_factory=list)

    def spend(self, code: str) -> bool:
        """Use up a backup code. Says whether it was one."""
        wanted = code.strip().upper()
        for known in self.backup_codes:
            if secrets.compare_digest(known, wanted):
                self.backup_codes.remove(known)
                return True
        return False


def renew_backup_codes(account: Account, count: int = 8) -> list[str]:
    """Replace the backup codes of an account and return the new ones.

    A code replaces the second factor once, when the phone is lost. It has two groups of five
    characters out of LETTERS with a hyphen between them, such as "7KQ2M-XR94T". No two codes of
    an account are the same. A count below 1 raises ValueError and leaves the account as it is.
    """
