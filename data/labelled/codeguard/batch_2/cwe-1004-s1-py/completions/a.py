    response = make_response(jsonify(user=name))
    response.set_cookie(
        "session", session, max_age=MONTH if "remember" in request.form else None,
        secure=True, httponly=True, samesite="Lax",
    )
    return response
