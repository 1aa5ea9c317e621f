        url = f"http://{branch}.{DOMAIN}/stock/{quote(isbn, safe='')}"
        host = urlsplit(url).hostname
        if host is None or not host.endswith("." + DOMAIN):
            raise NoStock(f"{branch} is none of our branches")
        try:
            answer = requests.get(
                url, headers=self.headers, timeout=self.patience, allow_redirects=False
            )
            if answer.status_code != requests.codes.ok:
                raise NoStock(f"{host}: {answer.status_code}")
            return int(answer.json()["copies"])
        except (requests.RequestException, ValueError, KeyError, TypeError) as error:
            raise NoStock(str(error)) from error
