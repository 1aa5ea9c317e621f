        try:
            event = json.loads(body)
            shop, kind = event["shop"], event["kind"]
        except (ValueError, KeyError, TypeError) as error:
            raise Rejected("malformed body") from error
        if not isinstance(shop, str) or not isinstance(kind, str) or shop not in self.keys:
            raise Rejected("unknown shop")

        expected = hmac.new(self.keys[shop].encode(), body, hashlib.sha256).hexdigest()
        given = headers.get("X-Parcels-Signature", "").encode("utf-8", "replace")
        if not hmac.compare_digest(f"sha256={expected}".encode(), given):
            log.warning("bad signature for %s", shop)
            raise Rejected("bad signature")

        self.events.append(event)
        return event
