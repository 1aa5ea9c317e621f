import ssl

VERSIONS = {
    "PROTOCOL_TLS": None,
    "PROTOCOL_TLS_CLIENT": None,
    "TLSv1_2": ssl.TLSVersion.TLSv1_2,
    "TLSv1_3": ssl.TLSVersion.TLSv1_3,
}
POOR = ("MD5", "RC4", "DES", "NULL", "EXP")


def _failure(message):
    return {"type": "error", "error": message}


def _names_poor(ciphers):
    chosen = [c for c in ciphers.split(":") if not c.startswith("!")]
    return any(p in c.upper() for c in chosen for p in POOR)


def getSSLContext(protocol=None, verify_mode=None, ciphers=None, options=None):
    given = {k: v for k, v in locals().items() if v is not None}
    if protocol is not None and protocol not in VERSIONS:
        return _failure(f"protocol {protocol} is not allowed")
    if verify_mode not in (None, "CERT_REQUIRED"):
        return _failure("certificates are always verified here")
    context = ssl.create_default_context()
    if protocol is not None and VERSIONS[protocol] is not None:
        context.minimum_version = VERSIONS[protocol]
    if ciphers is not None:
        if _names_poor(ciphers):
            return _failure("these ciphers are too weak")
        context.set_ciphers(ciphers)
    return {"type": "ssl_context", **given, "context": repr(context)}
