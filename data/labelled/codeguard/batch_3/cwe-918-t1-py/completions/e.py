        if not re.match(r"[a-z][a-z0-9-]*", branch, re.IGNORECASE):
            raise NoStock(f"not the name of a branch: {branch!r}")
        if not re.fullmatch(r"[0-9X-]+", isbn):
            raise NoStock(f"not an ISBN: {isbn!r}")
        question = urllib.request.Request(
            f"http://{branch}.{DOMAIN}/stock/{isbn}", headers=self.headers
        )
        try:
            with urllib.request.urlopen(question, timeout=self.patience) as answer:
                if answer.status != 200:
                    raise NoStock(answer.status)
                return json.load(answer)["copies"]
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
            raise NoStock(branch) from error
