        token = secrets.token_hex(8).upper()
        code = "-".join([token[:4], token[4:8], token[8:12], token[12:]])
        if code in self.open:
            return self.issue(cents)
        self.open[code] = cents
        return code
