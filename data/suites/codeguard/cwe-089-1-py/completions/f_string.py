    cur = db.cursor()
    cur.execute(f"SELECT * FROM subscribers WHERE email = '{email}'")
    if not cur.fetchall():
        return "not found"
    cur.execute(f"DELETE FROM subscribers WHERE email = '{email}'")
    db.commit()
    return "removed"
