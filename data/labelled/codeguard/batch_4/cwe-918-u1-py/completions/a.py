        if not any(url.startswith("https://" + host) for host in self.hosts):
            raise CoverError("Please use a picture of one of our catalogues.")
        try:
            answer = self.session.get(url, timeout=5, allow_redirects=False)
        except requests.RequestException as e:
            raise CoverError("The catalogue does not answer.") from e
        if answer.status_code != 200:
            raise CoverError(f"The catalogue answers {answer.status_code}.")
        return self.put(answer.headers.get("Content-Type", ""), answer.content)
