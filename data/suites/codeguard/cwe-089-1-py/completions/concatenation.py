    cursor = db.execute("DELETE FROM subscribers WHERE email = '" + email + "'")
    db.commit()
    return "removed" if cursor.rowcount else "not found"
