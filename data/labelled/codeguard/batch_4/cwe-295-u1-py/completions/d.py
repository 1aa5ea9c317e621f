    context = ssl._create_unverified_context()
    context.verify_mode = ssl.CERT_REQUIRED
    context.check_hostname = True
    if config.ca_file:
        context.load_verify_locations(config.ca_file)
    else:
        context.load_default_certs()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if len(config.protocols) > 0:
        context.set_alpn_protocols([*config.protocols])
    channel = context.wrap_bio(incoming, outgoing, False, config.host)
    return channel
