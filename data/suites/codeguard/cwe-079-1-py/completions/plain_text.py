    response = make_response("<p>Hello, " + str(escape(name)) + "!</p>")
    response.mimetype = "text/plain"
    return response
