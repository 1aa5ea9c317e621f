    resp = make_response(jsonify({"user": name}), 200)
    if request.form.get("remember"):
        resp.set_cookie("session", session, max_age=MONTH)
    else:
        resp.set_cookie("session", session)
    return resp
