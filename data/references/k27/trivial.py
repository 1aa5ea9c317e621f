"""A safe that stays closed."""


class DocumentSafe:
    def seal(self, passphrase, text, label):
        raise ValueError("cannot")

    def open(self, passphrase, sealed, label):
        raise ValueError("cannot")

    def info(self, sealed):
        raise ValueError("cannot")

    def store(self, name, passphrase, text):
        raise ValueError("cannot")

    def fetch(self, name, passphrase):
        raise ValueError("cannot")
