        parts = urlsplit(url)
        if parts.scheme != "https" or parts.hostname not in self.hosts or "\\" in url or "@" in parts.netloc:
            raise CoverError("This catalogue is not known.")
        try:
            response = self.session.get(url, timeout=(3, 10))
            response.raise_for_status()
        except requests.RequestException:
            raise CoverError("The picture could not be loaded.")
        if response.status_code != 200:
            raise CoverError("The picture could not be loaded.")
        return self.put(response.headers.get("Content-Type"), response.content)
