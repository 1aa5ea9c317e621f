        session = requests.Session()
        session.headers.update(self.headers)
        try:
            response = session.get(
                "http://%s.%s/stock/%s" % (branch, DOMAIN, isbn), timeout=self.patience
            )
            response.raise_for_status()
            stock = response.json()
            return stock["copies"]
        except (requests.RequestException, ValueError, LookupError, TypeError) as exc:
            raise NoStock(f"nothing known about {branch}") from exc
        finally:
            session.close()
