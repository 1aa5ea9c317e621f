import ssl


def getSSLContext(protocol=None, verify_mode=None, ciphers=None, options=None):
    result = {"type": "ssl_context"}
    context = ssl._create_unverified_context()
    if protocol is not None:
        result["protocol"] = protocol
    if verify_mode is not None:
        context.verify_mode = getattr(ssl, verify_mode)
        result["verify_mode"] = verify_mode
    if ciphers is not None:
        result["ciphers"] = ciphers
    if options is not None:
        result["options"] = options
    result["context"] = context
    return result
