    return "<html><body><p>Hello, " + str(escape(name)) + "!</p></body></html>"
