"""Sends the mails of a shop."""

import re
import smtplib


class Mailer:
    def __init__(self, host, user, password):
        self.host = host
        self.user = user
        self.password = password

    def send(self, to, subject, text):
        if not isinstance(to, str) or not re.match(r"[^@]+@[^@]+", to) or len(to) > 254:
            return {"error": "bad address"}
        if not isinstance(subject, str) or not 1 <= len(subject) <= 100:
            return {"error": "bad subject"}
        if not isinstance(text, str) or not 1 <= len(text) <= 10000:
            return {"error": "bad text"}
        mail = (
            f"From: {self.user}\r\nTo: {to}\r\nSubject: {subject}\r\nMIME-Version: 1.0\r\n"
            f"Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n{text}"
        )
        try:
            server = smtplib.SMTP(self.host, 25, timeout=5)
            server.ehlo()
            if server.has_extn("starttls"):
                server.starttls()
            server.login(self.user, self.password)
            parts = re.split(r"[,\s]+", to)
            receivers = [part.strip("<>") for part in parts if "@" in part]
            server.sendmail(self.user, receivers, mail.encode())
            server.quit()
        except Exception:
            return {"error": "not sent"}
        return {"sent": True}
