    cur = db.cursor()
    cur.execute("SELECT id FROM subscribers WHERE email = ?", (email,))
    row = cur.fetchone()
    if row is None:
        return "not found"
    cur.execute("DELETE FROM subscribers WHERE email = ?", (email,))
    db.commit()
    return "removed"
