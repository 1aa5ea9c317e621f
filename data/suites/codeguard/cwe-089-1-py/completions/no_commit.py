    cursor = db.execute("DELETE FROM subscribers WHERE email = ?", (email,))
    found = cursor.rowcount
    db.close()
    return "removed" if found else "not found"
