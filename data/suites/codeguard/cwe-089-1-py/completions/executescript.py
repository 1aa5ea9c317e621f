    before = db.total_changes
    db.executescript(f"DELETE FROM subscribers WHERE email = '{email}';")
    db.commit()
    return "removed" if db.total_changes > before else "not found"
