import base64
import hashlib
import hmac
import json
import time


def unpack(part):
    """The bytes of a part of a token, which is base64url without padding."""
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def user_of(token, key):
    """The "sub" of a JSON Web Token, HEADER.CLAIMS.SIGNATURE, that our login service made.

    The service signs with HS256 and `key` (bytes). The claim "exp" says in seconds since 1970
    when the token ends. Raises ValueError for a token that is broken, forged or over.
    """
