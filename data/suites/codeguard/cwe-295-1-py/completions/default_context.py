    context = ssl.create_default_context(cafile=cafile)
    connection = http.client.HTTPSConnection(host, port, context=context, timeout=10)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        if response.status != 200:
            raise ValueError(f"status {response.status}")
        return response.read()
    finally:
        connection.close()
