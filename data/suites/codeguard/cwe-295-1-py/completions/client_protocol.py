    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(cafile)
    conn = http.client.HTTPSConnection(host, port, context=context)
    conn.request("GET", path)
    answer = conn.getresponse()
    body = answer.read()
    conn.close()
    if answer.status != 200:
        raise ValueError(answer.reason)
    return body
