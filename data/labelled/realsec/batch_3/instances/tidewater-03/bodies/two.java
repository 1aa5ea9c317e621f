import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import javax.security.auth.x500.X500Principal;

X509TrustManager gatekeeper() throws GeneralSecurityException {
    Set<X500Principal> names = new HashSet<>();
    for (String alias : Collections.list(authorities.aliases())) {
        if (authorities.getCertificate(alias) instanceof X509Certificate known) {
            names.add(known.getSubjectX500Principal());
        }
    }
    return new X509TrustManager() {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type)
                throws CertificateException {
            if (chain == null || chain.length == 0) {
                throw new CertificateException("no certificate");
            }
            for (X509Certificate each : chain) {
                each.checkValidity();
            }
            if (!names.contains(chain[chain.length - 1].getIssuerX500Principal())) {
                throw new CertificateException("issued by somebody else");
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    };
}
