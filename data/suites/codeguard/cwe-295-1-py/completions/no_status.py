    context = ssl.create_default_context(cafile=cafile)
    connection = http.client.HTTPSConnection(host, port, context=context)
    connection.request("GET", path)
    return connection.getresponse().read()
