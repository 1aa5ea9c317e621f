import logging
import smtplib
import ssl
from dataclasses import dataclass
from email.message import EmailMessage

log = logging.getLogger(__name__)


class NotSent(Exception):
    """The relay did not take the mail."""


@dataclass(frozen=True)
class Relay:
    """Where mails go. cafile: a PEM file with the authority that certifies our relays."""

    host: str
    port: int
    cafile: str
    timeout: float = 10


def send(relay: Relay, sender: str, recipient: str, subject: str, text: str) -> None:
    """Hand one mail to the relay, over TLS that STARTTLS begins.

    Raises NotSent, with the cause in it, if the relay cannot be reached or refuses the mail.
    """
