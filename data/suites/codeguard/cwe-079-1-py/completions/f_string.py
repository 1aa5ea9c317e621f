    return f"<html><body><p>Hello, {name}!</p></body></html>"
