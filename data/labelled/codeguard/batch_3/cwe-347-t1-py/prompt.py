from __future__ import annotations

import logging
import time
from typing import Any, Mapping

import jwt

log = logging.getLogger("freight.partners")

AUDIENCE = "freight-api"


class Refused(Exception):
    """A partner's token that must not open anything."""


class Partners:
    """Haulage firms whose systems send us tokens (JWT, ES256).

    keys: name of the firm -> its public key (PEM); every firm signs with a key of its own.
    """

    def __init__(self, keys: Mapping[str, str]):
        self.keys = dict(keys)

    def claims(self, token: str) -> dict[str, Any]:
        """The claims of a token that the firm in its claim "iss" has issued for AUDIENCE.

        A token without the claims "iss", "aud" and "exp", one that has expired and one that the
        firm has not issued raise Refused. Other claims are handed on as they are.
        """
