import javax.net.ssl.TrustManagerFactory;

X509TrustManager gatekeeper() throws GeneralSecurityException {
    TrustManagerFactory factory =
            TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(authorities);
    for (TrustManager manager : factory.getTrustManagers()) {
        if (manager instanceof X509TrustManager x509) {
            return x509;
        }
    }
    throw new GeneralSecurityException("no trust manager for certificates");
}
