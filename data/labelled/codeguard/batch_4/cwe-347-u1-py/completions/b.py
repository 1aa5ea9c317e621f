        try:
            event = json.loads(body)
        except ValueError:
            raise Rejected("not JSON")
        if not isinstance(event, dict) or not all(isinstance(event.get(name), str) for name in ("shop", "kind")):
            raise Rejected("shop or kind missing")

        key = self.keys.get(event["shop"], "")
        expected = "sha256=" + hmac.new(key.encode(), body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(expected.encode(), headers.get("X-Parcels-Signature", "").encode()):
            raise Rejected("signature does not match")
        self.events.append(event)
        return event
