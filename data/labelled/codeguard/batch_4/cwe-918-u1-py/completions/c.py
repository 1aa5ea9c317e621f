        try:
            request = self.session.prepare_request(requests.Request("GET", url))
        except (requests.RequestException, ValueError) as error:
            raise CoverError("This is not an address.") from error

        # follow at most three hops; each has to be one of the catalogues again
        for _ in range(4):
            where = urlsplit(request.url)
            if where.scheme != "https" or where.netloc not in self.hosts:
                raise CoverError("The address does not belong to a catalogue.")
            try:
                answer = self.session.send(request, timeout=5, allow_redirects=False)
            except requests.RequestException as error:
                raise CoverError("No answer.") from error
            if not answer.is_redirect:
                break
            try:
                request = self.session.prepare_request(requests.Request("GET", urljoin(request.url, answer.headers["Location"])))
            except (requests.RequestException, ValueError) as error:
                raise CoverError("The catalogue points to nowhere.") from error
        if answer.status_code != 200:
            raise CoverError("No such picture.")
        return self.put(answer.headers.get("Content-Type"), answer.content)
