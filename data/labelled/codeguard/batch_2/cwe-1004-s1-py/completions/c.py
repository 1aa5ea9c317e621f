    app.config.update(SESSION_COOKIE_HTTPONLY=True, SESSION_COOKIE_SECURE=True)
    age = MONTH if request.form.get("remember") else None
    response = make_response(jsonify({"user": name}))
    response.set_cookie("session", session, max_age=age, path="/", samesite="Lax")
    return response
