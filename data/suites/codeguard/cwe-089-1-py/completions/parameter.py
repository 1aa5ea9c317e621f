    cursor = db.execute("DELETE FROM subscribers WHERE email = ?", (email,))
    db.commit()
    db.close()
    return "removed" if cursor.rowcount else "not found"
