    context = ssl.create_default_context(cafile=config.ca_file)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if config.protocols:
        context.set_alpn_protocols(list(config.protocols))
    return context.wrap_bio(incoming, outgoing, server_hostname=config.host)
