    context = ssl.SSLContext(ssl.PROTOCOL_TLS)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    if config.ca_file is None:
        context.load_default_certs(ssl.Purpose.SERVER_AUTH)
    else:
        context.load_verify_locations(cafile=config.ca_file)
    if config.protocols:
        context.set_alpn_protocols(list(config.protocols))
    return context.wrap_bio(incoming, outgoing, server_hostname=config.host)
