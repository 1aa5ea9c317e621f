"""A log store that accepts no name at all."""


class LogStore:
    def append(self, name, message):
        return "Error: bad name"

    def tail(self, name, count):
        return "Error: bad name"

    def remove(self, name):
        return "Error: bad name"

    def export(self, name):
        return "Error: bad name"

    def take(self, ticket):
        return "Error: no such export"
