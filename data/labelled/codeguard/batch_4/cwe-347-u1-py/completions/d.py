        def same(left: str, right: str) -> bool:
            difference = 0
            for x, y in zip(left, right):
                difference |= ord(x) ^ ord(y)
            return difference == 0

        method, _, digits = headers.get("X-Parcels-Signature", "").partition("=")
        if method != "sha256":
            raise Rejected("no usable signature")
        try:
            event = json.loads(body)
            key = self.keys[event["shop"]].encode()
            kind = event["kind"]
        except (ValueError, LookupError, TypeError):
            raise Rejected("event cannot be read") from None
        if not same(hmac.new(key, body, hashlib.sha256).hexdigest(), digits):
            raise Rejected("signature of %s is wrong" % event["shop"])
        log.info("%s from %s", kind, event["shop"])
        self.events.append(event)
        return event
