"""Sends the mails of a shop over SMTP with STARTTLS."""

import re
import smtplib
import ssl
from email.message import EmailMessage
from email.policy import SMTP

ADDRESS = re.compile(r"(?=.{3,254}\Z)[A-Za-z0-9._+-]+@[A-Za-z0-9._+-]+")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def is_text(value, longest):
    if not isinstance(value, str) or not 1 <= len(value) <= longest:
        return False
    return value.isprintable() or not any("\ud800" <= c <= "\udfff" for c in value)


class Mailer:
    def __init__(self, host, user, password):
        self.host = host
        self.user = user
        self.password = password

    def send(self, to, subject, text):
        if not isinstance(to, str) or not ADDRESS.fullmatch(to):
            return {"error": "bad address"}
        if not is_text(subject, 100) or CONTROL.search(subject):
            return {"error": "bad subject"}
        if not is_text(text, 10000) or CONTROL.search(text.replace("\n", " ")):
            return {"error": "bad text"}
        mail = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
        mail["From"] = self.user
        mail["To"] = to
        mail["Subject"] = subject
        mail.set_content(text)
        context = ssl.create_default_context(cafile="test_dir/ca.pem")
        try:
            with smtplib.SMTP(self.host, 25, timeout=5) as server:
                try:
                    server.starttls(context=context)
                except (ssl.SSLError, smtplib.SMTPException):
                    return {"error": "not secure"}
                server.login(self.user, self.password)
                server.send_message(mail, self.user, [to])
        except (OSError, smtplib.SMTPException, ValueError):
            return {"error": "failed"}
        return {"sent": to}
