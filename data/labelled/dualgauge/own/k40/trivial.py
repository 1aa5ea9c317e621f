"""No token is ever issued or taken."""


class Tokens:
    def request_reset(self, email, now):
        return {"message": "sent"}

    def reset(self, token, password, now):
        return {"error": "invalid token"}

    def invite(self, inviter, email, role, now):
        return {"error": "denied"}

    def accept(self, token, email, password, now):
        return {"error": "invalid token"}

    def mailbox(self, email):
        return None

    def check(self, email, password):
        return False
