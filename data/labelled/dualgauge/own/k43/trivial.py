class Directory:
    def find(self, uid):
        return None

    def by_name(self, start, department):
        return []

    def sign_in(self, uid, password):
        return False
