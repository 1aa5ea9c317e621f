import hashlib
from urllib.parse import quote, urljoin, urlsplit

import requests

LIMIT = 2_000_000
KINDS = {"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp"}


class CoverError(Exception):
    """There is no usable picture; the text is shown to the member."""


class CoverShelf:
    """Keeps the cover pictures of the books that the members of a club talk about.

    Pictures come from the catalogues in `hosts`, for example covers.openlibrary.test and bilder.dnb.test.
    """

    def __init__(self, hosts, session=None):
        self.hosts = frozenset(hosts)
        self.session = session or requests.Session()
        self.pictures = {}

    def put(self, kind, data):
        if kind not in KINDS:
            raise CoverError("Only JPEG, PNG and WebP pictures can be used.")
        if len(data) > LIMIT:
            raise CoverError("The picture is too large.")
        name = hashlib.sha1(data).hexdigest() + KINDS[kind]
        self.pictures[name] = data
        return name

    def add(self, url):
        """Get the picture at `url`, which a member has typed in, put it onto the shelf and return its name there.

        The address begins with https:// and belongs to one of `hosts`. CoverError is raised for any other
        address, for an answer other than 200, and when the request fails.
        """
