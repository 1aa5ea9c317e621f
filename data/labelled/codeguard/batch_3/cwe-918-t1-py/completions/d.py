        # whatever would end the name of a host becomes a part of it
        server = f"{quote(branch, safe='')}.{DOMAIN}"
        address = "http://" + server + "/stock/" + quote(isbn, safe="")
        try:
            reply = requests.request(
                "GET", address, headers=self.headers, timeout=self.patience, allow_redirects=False
            )
        except (requests.RequestException, UnicodeError) as error:
            raise NoStock("cannot reach " + server) from error
        if reply.status_code != 200:
            raise NoStock(f"{server} says {reply.status_code}")
        try:
            return reply.json()["copies"]
        except (ValueError, KeyError, TypeError):
            raise NoStock(f"{server} says something else") from None
