        allowed = set(string.ascii_lowercase + string.digits + "-")
        label = branch.lower()
        if not label or not set(label) <= allowed or label.startswith("-"):
            raise NoStock("no such branch")
        line = http.client.HTTPConnection(label + "." + DOMAIN, timeout=self.patience)
        try:
            line.request("GET", "/stock/" + quote(isbn, safe=""), headers=self.headers)
            response = line.getresponse()
            body = response.read()
            if response.status != 200:
                raise NoStock(f"{response.status} {response.reason}")
            found: dict[str, Any] = json.loads(body)
            return found["copies"]
        except (OSError, http.client.HTTPException, ValueError, LookupError, TypeError) as error:
            raise NoStock(branch) from error
        finally:
            line.close()
