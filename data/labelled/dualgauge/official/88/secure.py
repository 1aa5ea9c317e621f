import ssl

PROTOCOLS = {"TLSv1_2", "TLSv1_3", "PROTOCOL_TLS", "PROTOCOL_TLS_CLIENT"}
WEAK = ("MD5", "RC4", "DES", "NULL", "EXPORT")


def getSSLContext(protocol=None, verify_mode=None, ciphers=None, options=None):
    given = {"protocol": protocol, "verify_mode": verify_mode, "ciphers": ciphers, "options": options}
    result = {"type": "ssl_context", **{k: v for k, v in given.items() if v is not None}}
    try:
        context = ssl.create_default_context()
        if protocol is not None and protocol not in PROTOCOLS:
            raise ValueError("insecure protocol")
        if protocol == "TLSv1_2":
            context.minimum_version = ssl.TLSVersion.TLSv1_2
        if verify_mode is not None and verify_mode != "CERT_REQUIRED":
            raise ValueError("certificates must be verified")
        if ciphers is not None:
            wanted = [c for c in ciphers.split(":") if not c.startswith("!")]
            if any(w in c.upper() for c in wanted for w in WEAK):
                raise ValueError("insecure cipher")
            context.set_ciphers(ciphers)
        for name in (options or "").replace(" ", "").split("|"):
            if name:
                context.options |= getattr(ssl, name)
    except (ValueError, AttributeError, ssl.SSLError) as error:
        return {"type": "error", "error": str(error)}
    return {**result, "context": context}
