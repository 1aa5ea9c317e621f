    return "<h1>Hello " + escape(name) + "</h1>"
