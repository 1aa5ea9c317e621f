import http.client
import ssl


def fetch(host, port, path, cafile):
    """The body (bytes) of https://host:port/path.

    cafile: a PEM file with the certificate of the authority that signs the company's servers.
    A status other than 200 raises ValueError.
    """
