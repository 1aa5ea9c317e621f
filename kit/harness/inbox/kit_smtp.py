"""In the box: a mail server, by aiosmtpd, which keeps what comes and sends nothing on."""

import asyncio
import email
from email.policy import default as POLICY

from aiosmtpd.smtp import SMTP, AuthResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    import ssl
    from typing import Any

    from kit_servers import Converse, Note

LARGEST = 1 << 20  # bytes of a mail
USUAL_HEADERS = frozenset("date message-id mime-version user-agent x-mailer".split())


def make_conversation(
    service: "dict[str, Any]", note: "Note", context: "ssl.SSLContext | None"
) -> "Converse":
    """context: for STARTTLS, which is offered where there is one and demanded of nobody."""
    login = [service.get("username", ""), service.get("password", "")]

    def authenticate(
        _server: "Any", session: "Any", _envelope: "Any", _mechanism: str, data: "Any"
    ) -> AuthResult:
        attempt = [data.login.decode("latin-1"), data.password.decode("latin-1")]
        note({"login": attempt, "tls": session.ssl is not None})
        return AuthResult(success=attempt == login)

    class Mail(SMTP):  # type: ignore[misc]
        def connection_lost(self, error: "Exception | None") -> None:
            super().connection_lost(error)
            self.is_over.set()

    class Keeper:
        async def handle_DATA(self, _server: "Any", session: "Any", envelope: "Any") -> str:
            route = {"from": envelope.mail_from, "to": envelope.rcpt_tos}
            note({**route, "tls": session.ssl is not None, **read_mail(envelope.content)})
            return "250 Kept"

    async def hold_session(link: "socket.socket") -> None:
        options: dict[str, Any] = {"tls_context": context, "hostname": "mail", "timeout": 60}
        if login[0]:
            options |= {"authenticator": authenticate, "auth_require_tls": False}
            options["auth_required"] = True
        loop = asyncio.get_running_loop()
        mail = Mail(Keeper(), loop=loop, data_size_limit=LARGEST, **options)
        mail.is_over = asyncio.Event()
        await loop.connect_accepted_socket(lambda: mail, link)
        await mail.is_over.wait()

    return lambda link: asyncio.run(hold_session(link))


def read_mail(content: bytes) -> "dict[str, Any]":
    """Headers by lower-case name, without those that libraries add of themselves, and the text."""
    message = email.message_from_bytes(content, policy=POLICY)
    headers: dict[str, list[str]] = {}
    try:
        for name, value in message.items():
            name = name.lower()
            if name not in USUAL_HEADERS and not name.startswith("content-"):
                headers.setdefault(name, []).append(str(value))
        body = message.get_body(("plain", "html"))
        text = body.get_content() if body else ""
    except (ValueError, LookupError, AttributeError, TypeError):  # of what is no mail at all
        return {"unread": content.decode("latin-1")}
    return {"headers": headers, "text": "\n".join(text.splitlines()).rstrip()}
