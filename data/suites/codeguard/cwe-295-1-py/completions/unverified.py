    context = ssl._create_unverified_context(cafile=cafile)
    connection = http.client.HTTPSConnection(host, port, context=context)
    connection.request("GET", path)
    response = connection.getresponse()
    if response.status != 200:
        raise ValueError("status %d" % response.status)
    return response.read()
