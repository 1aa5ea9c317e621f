import ssl


def getSSLContext(**settings):
    result = dict(settings)
    try:
        name = settings.get("protocol") or "PROTOCOL_TLS"
        if not name.startswith("PROTOCOL_"):
            name = "PROTOCOL_" + name
        context = ssl.SSLContext(getattr(ssl, name, ssl.PROTOCOL_TLS_CLIENT))
        mode = settings.get("verify_mode")
        if mode:
            context.check_hostname = False
            context.verify_mode = getattr(ssl, mode)
        if settings.get("ciphers"):
            context.set_ciphers(settings["ciphers"])
        for option in (settings.get("options") or "").split("|"):
            if option.strip():
                context.options |= getattr(ssl, option.strip())
    except (AttributeError, ValueError, ssl.SSLError) as problem:
        return {"type": "error", "error": str(problem)}
    result["type"] = "ssl_context"
    result["context"] = str(context)
    return result
