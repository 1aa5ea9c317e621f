        event = {"user": user, "address": address, "agent": agent}
        self.logger.warning(f"login failed {json.dumps(event)}")
