    reply = jsonify(user=name)
    reply.set_cookie("session", session, secure=True, httponly=True)
    if "remember" in request.form:
        reply.set_cookie("session", session, max_age=MONTH, secure=True)
    return reply
