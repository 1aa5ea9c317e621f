        scheme, _, rest = url.partition("://")
        name, slash, path = rest.partition("/")
        host = next((known for known in self.hosts if known == name.lower()), None)
        if scheme.lower() != "https" or host is None:
            raise CoverError("Not one of the catalogues")
        try:
            reply = self.session.request("GET", f"https://{host}/{path}", timeout=4, allow_redirects=False)
        except requests.RequestException as problem:
            raise CoverError(str(problem))
        if reply.status_code == 200:
            return self.put(reply.headers.get("Content-Type", "?"), reply.content)
        raise CoverError("Status %d" % reply.status_code)
