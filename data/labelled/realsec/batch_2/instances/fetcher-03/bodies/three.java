@Override
public boolean verify(String host, SSLSession session) {
    String name;
    try {
        name = commonName(session.getPeerPrincipal().getName());
    } catch (SSLPeerUnverifiedException unknown) {
        name = "";
    }
    if (name.isEmpty() || !name.toLowerCase(Locale.ROOT).equals(host.toLowerCase(Locale.ROOT))) {
        LOG.warn("{} is not {}", name, host);
        return false;
    }
    return true;
}
