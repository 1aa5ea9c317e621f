    context = ssl.create_default_context(cafile=cafile)
    context.check_hostname = False
    connection = http.client.HTTPSConnection(host, port, context=context)
    connection.request("GET", path)
    response = connection.getresponse()
    if response.status != 200:
        raise ValueError(response.status)
    return response.read()
