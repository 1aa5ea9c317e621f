    with db:
        done = db.execute("DELETE FROM subscribers WHERE email = :email", {"email": email})
    return "removed" if done.rowcount > 0 else "not found"
