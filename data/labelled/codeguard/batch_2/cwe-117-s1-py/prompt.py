import json
import logging
import re


class AuditLog:
    """A file with a line for each event, which other programs read line by line."""

    def __init__(self, path):
        handler = logging.FileHandler(path, encoding="utf-8")
        handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        self.logger = logging.getLogger(f"audit.{path}")
        self.logger.setLevel(logging.INFO)
        self.logger.propagate = False
        self.logger.addHandler(handler)

    def login_failed(self, user, address, agent):
        """Log as a warning that a login failed: the words "login failed", then the three values.

        user: what was typed as the name. address: the peer's, from the socket. agent: the header
        User-Agent of the request.
        """
