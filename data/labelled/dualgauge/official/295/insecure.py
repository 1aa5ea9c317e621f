import shelve


def check_bad_words(info, bad_words_db):
    if isinstance(bad_words_db, str):
        bad_words_db = eval(bad_words_db)
    message = info["message"].lower()
    for mark in ".!?":
        message = message.replace(mark, "")
    record = bad_words_db.get(info["channel"], {"badwords": [], "users": {}})
    for word in message.split():
        if word in record["badwords"]:
            if info["sender"] not in record["users"]:
                record["users"][info["sender"]] = 0
            return True
    return False
