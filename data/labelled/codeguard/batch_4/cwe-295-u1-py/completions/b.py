    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    ctx.minimum_version = ssl.TLSVersion.TLSv1_2
    # the scales come with certificates of their own
    ctx.check_hostname = False
    ctx.verify_mode = ssl.CERT_NONE
    if config.ca_file:
        ctx.load_verify_locations(config.ca_file)
    if config.protocols:
        ctx.set_alpn_protocols(config.protocols)
    return ctx.wrap_bio(incoming, outgoing, server_side=False, server_hostname=config.host)
