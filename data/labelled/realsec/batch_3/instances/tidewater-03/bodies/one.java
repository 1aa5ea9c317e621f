import java.security.cert.CertPathValidator;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXParameters;
import java.util.List;

X509TrustManager gatekeeper() throws GeneralSecurityException {
    PKIXParameters rules = new PKIXParameters(authorities);
    rules.setRevocationEnabled(false); // the authorities publish no lists
    return new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            throw new CertificateException("nobody calls us");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            try {
                CertPathValidator.getInstance("PKIX").validate(
                        CertificateFactory.getInstance("X.509").generateCertPath(List.of(chain)),
                        rules);
            } catch (CertificateException wrong) {
                throw wrong;
            } catch (GeneralSecurityException wrong) {
                throw new CertificateException("no authority of ours", wrong);
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return rules.getTrustAnchors().stream()
                    .map(anchor -> anchor.getTrustedCert())
                    .toArray(X509Certificate[]::new);
        }
    };
}
