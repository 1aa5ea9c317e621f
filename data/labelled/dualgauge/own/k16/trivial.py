"""Issues no licences and accepts none."""


class Licences:
    def __init__(self, key):
        self.key = key

    def issue(self, product, seats, now, days):
        return "Error: weak key"

    def check(self, code, product, now):
        return None

    def revoke(self, code, product):
        return False

    def activate(self, code, product, machine, now):
        return False
