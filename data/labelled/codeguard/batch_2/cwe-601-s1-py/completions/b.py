    response = make_response(redirect(back))
    response.set_cookie("lang", chosen)
    return response
