    parts = [f"session={session}", "Path=/", "SameSite=Strict"]
    if request.form.get("remember"):
        parts.insert(1, f"Max-Age={MONTH}")
    parts += ["HttpOnly", "Secure"]
    response = jsonify({"user": name})
    response.headers.add("Set-Cookie", "; ".join(parts))
    return response
