class Mailer:
    def __init__(self, host, user, password):
        self.host = host

    def send(self, to, subject, text):
        return {"error": "not secure"}
