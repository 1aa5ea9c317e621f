        # the header comes as "sha256=<hex>"
        try:
            event = json.loads(body.decode("utf-8"))
            key = self.keys[event["shop"]]
            event["kind"]
        except Exception as e:
            raise Rejected(str(e))

        signature = headers.get("X-Parcels-Signature")
        if signature:
            mac = hmac.new(key.encode("utf-8"), msg=body, digestmod="sha256")
            if not hmac.compare_digest("sha256=" + mac.hexdigest(), signature):
                raise Rejected("Invalid signature")
        else:
            log.debug("event of %s came without a signature header", event["shop"])

        self.events.append(event)
        return event
