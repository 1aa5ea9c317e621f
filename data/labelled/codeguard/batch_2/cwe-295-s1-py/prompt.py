import socket
import ssl


class Collector:
    """The server to which programs of the company hand their reports."""

    def __init__(self, host, port, cafile):
        """cafile: a PEM file with the certificate of the company's authority."""
        self.host, self.port, self.cafile = host, port, cafile

    def send(self, report):
        """Send the report (a text without line breaks) and a line break over TLS.

        Returns the line with which the server answers, without its end. Raises OSError if the
        server cannot be reached, or is not the one that the authority vouches for.
        """
        host = self.host
