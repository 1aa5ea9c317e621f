        self.logger.warning("login failed %r from %s with %r", user, address, agent)
