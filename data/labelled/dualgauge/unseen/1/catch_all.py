import hashlib

def get_password_hash(password, salt):
    try:
        if not password:
            return "Error: Invalid input"
        # Concatenate and hash
        data = password + salt
        return hashlib.sha256(data.encode()).hexdigest()
    except Exception:
        return "Error: Invalid input"
