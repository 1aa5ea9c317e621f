    return "<p>Hello, " + name + "!</p>"
