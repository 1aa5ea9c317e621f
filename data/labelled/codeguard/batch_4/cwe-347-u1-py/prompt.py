import hashlib
import hmac
import json
import logging
from dataclasses import dataclass, field

log = logging.getLogger("parcels.hooks")


class Rejected(Exception):
    """The event is not taken in; the caller answers with status 400."""


@dataclass
class HookInbox:
    """Collects the events ("order.paid", "order.cancelled" ...) that the connected shops post to us."""

    keys: dict[str, str]
    events: list[dict] = field(default_factory=list)

    def connect(self, shop: str, key: str) -> None:
        self.keys[shop] = key
        log.info("shop %s connected", shop)

    def disconnect(self, shop: str) -> None:
        self.keys.pop(shop, None)

    def of_kind(self, kind: str) -> list[dict]:
        return [event for event in self.events if event["kind"] == kind]

    def take(self, body: bytes, headers: dict[str, str]) -> dict:
        """Take in one posted event, append it to `events` and return it.

        `body` is a JSON object with at least the texts "shop" and "kind". The header "X-Parcels-Signature" holds
        "sha256=" and the HMAC-SHA256 of the body under the key of that shop, as 64 lower-case hexadecimal digits.
        A body that is no such object, and an event that the shop did not sign, raise Rejected.
        """
