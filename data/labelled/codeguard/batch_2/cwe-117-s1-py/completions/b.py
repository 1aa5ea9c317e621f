        clean = re.sub(r"[\x00-\x1f\x7f]", "?", user)
        self.logger.warning("login failed: %s (%s, %s)", clean, address, agent)
