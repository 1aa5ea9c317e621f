    db.execute("DELETE FROM subscribers WHERE email = ?", (email,))
    db.commit()
    return "removed"
