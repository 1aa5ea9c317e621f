        def shown(value):
            return value.encode("unicode_escape").decode("ascii")

        self.logger.error("login failed %s %s %s", shown(user), address, shown(agent))
