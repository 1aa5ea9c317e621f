        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").rstrip(".")
        except ValueError:
            raise CoverError("Malformed address")
        if parts.scheme != "https" or not host.endswith(tuple(self.hosts)):
            raise CoverError("Unknown catalogue: %s" % host)
        address = "https://%s%s" % (host, quote(parts.path, safe="/%"))
        if parts.query:
            address += "?" + quote(parts.query, safe="=&%")
        try:
            with self.session.get(address, timeout=5, stream=True, allow_redirects=False) as r:
                if r.status_code != 200:
                    raise CoverError("HTTP %d" % r.status_code)
                return self.put(r.headers["Content-Type"], r.content)
        except (requests.RequestException, KeyError) as e:
            raise CoverError("No picture") from e
