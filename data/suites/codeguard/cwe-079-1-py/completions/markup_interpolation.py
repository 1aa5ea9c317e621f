    safe = escape(name)
    return f"<!doctype html><p>Hello, {safe}!</p>"
