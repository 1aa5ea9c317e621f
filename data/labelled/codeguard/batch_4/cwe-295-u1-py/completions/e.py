    if config.ca_file:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=config.ca_file)
    else:
        context = ssl._create_unverified_context()
    context.minimum_version = max(context.minimum_version, ssl.TLSVersion.TLSv1_2)
    if config.protocols:
        context.set_alpn_protocols(list(config.protocols))
    return context.wrap_bio(incoming, outgoing, server_hostname=config.host)
