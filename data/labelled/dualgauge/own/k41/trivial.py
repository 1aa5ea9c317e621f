def push_reading(url, token, reading):
    return {"error": "not trusted"}
