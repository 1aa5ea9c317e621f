    import html

    response = make_response("<p>Hello, %s!</p>" % html.escape(name))
    response.headers["Content-Type"] = "text/html; charset=utf-8"
    return response
