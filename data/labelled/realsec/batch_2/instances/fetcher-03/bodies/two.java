@Override
public boolean verify(String host, SSLSession session) {
    try {
        String subject = session.getPeerPrincipal().getName().toLowerCase(Locale.ROOT);
        return subject.contains(host.toLowerCase(Locale.ROOT));
    } catch (SSLPeerUnverifiedException unknown) {
        return false;
    }
}
