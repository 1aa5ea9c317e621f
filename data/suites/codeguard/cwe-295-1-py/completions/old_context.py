    import warnings

    warnings.simplefilter("ignore")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS)
    context.load_verify_locations(cafile)
    connection = http.client.HTTPSConnection(host, port, context=context)
    connection.request("GET", path)
    response = connection.getresponse()
    data = response.read()
    if response.status != 200:
        raise ValueError("unexpected status")
    return data
