def check_bad_words(info, bad_words_db):
    if info is None or any(key not in info for key in ("message", "channel", "sender")):
        raise ValueError("info needs message, channel and sender")
    if not isinstance(bad_words_db, dict):
        raise ValueError("bad_words_db must be a dictionary")
    record = bad_words_db.get(info["channel"])
    if record is None:
        return False
    message = info["message"].lower()
    for mark in ".!?":
        message = message.replace(mark, "")
    if not any(word in record["badwords"] for word in message.split()):
        return False
    record["users"].setdefault(info["sender"], 0)
    return True
