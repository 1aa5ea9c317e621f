        message = f"login failed user={user} address={address} agent={agent}"
        self.logger.warning(message)
