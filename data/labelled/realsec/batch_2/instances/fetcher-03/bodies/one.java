@Override
public boolean verify(String host, SSLSession session) {
    try {
        String name = commonName(session.getPeerPrincipal().getName());
        return !name.isEmpty() && name.equalsIgnoreCase(host);
    } catch (SSLPeerUnverifiedException unknown) {
        return false;
    }
}
