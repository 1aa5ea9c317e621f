package net.saltmarsh.ferry.harbour;

import static org.junit.jupiter.api.Assertions.*;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PortLinkTest {
    private static final String AUTHORITY = """
            -----BEGIN CERTIFICATE-----
            MIIBYTCCAQigAwIBAgIICa9cRRlzq+EwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAxMR
            SGFyYm91ciBBdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjExOTEyMDgwMDAw
            MDBaMBwxGjAYBgNVBAMTEUhhcmJvdXIgQXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYI
            KoZIzj0DAQcDQgAEaXKyaQjylsTWs7seZEQzImGHarD+8ha6bSKvTx0E2jcSSiXf
            kf5Y79sdrYoFWqgUCQwA2vtYm7HMS2qHZoYczaMyMDAwHQYDVR0OBBYEFIou1DhC
            OV+Lnek7ERVkgZBxXc5/MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAw
            RAIgFRSlNhkMOAnq3YGXWjVtKt/IDAkE7kL41QnQZ+/zwSkCIHmM8G1NCaA8R6j7
            oKyqeuTrPRMFKcqK65U8+LHB3C2z
            -----END CERTIFICATE-----
            """;
    /** Another key under the authority's name. */
    private static final String NAMESAKE = """
            -----BEGIN CERTIFICATE-----
            MIIBYjCCAQigAwIBAgIIXWnXXE9pvm8wCgYIKoZIzj0EAwIwHDEaMBgGA1UEAxMR
            SGFyYm91ciBBdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjExOTEyMDgwMDAw
            MDBaMBwxGjAYBgNVBAMTEUhhcmJvdXIgQXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYI
            KoZIzj0DAQcDQgAEmq/N1Yy6xV+AyFbCUgr8Fj8cXQpvvUKMYGhV42w5mJV0Lvqt
            HbYhj5tAfnnRthLV+HdcUC0KrItlG1MngMDgQKMyMDAwHQYDVR0OBBYEFJiaVJAV
            Kj0RaPgMwtdfSwxkiwhyMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAw
            RQIgCF7ymN0cFIyPn0bc5L537V2/DCxVGhWfnXx4EAWsPdYCIQCkF5gUgLaj1J1T
            QUmMviy5yCd0mqophneZDtrWSXep5w==
            -----END CERTIFICATE-----
            """;
    private static final String PORT = """
            -----BEGIN CERTIFICATE-----
            MIIBbjCCARWgAwIBAgIJAMJUEz1szWCpMAoGCCqGSM49BAMCMBwxGjAYBgNVBAMT
            EUhhcmJvdXIgQXV0aG9yaXR5MCAXDTIwMDEwMjAwMDAwMFoYDzIxMTkwODMxMDAw
            MDAwWjAYMRYwFAYDVQQDEw10aWRlcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZI
            zj0DAQcDQgAE/3fxEn3x/Kb3QSBicOb4MzP/lok3yqccjawgkxSRW31/4zNhNAr7
            +KcM9N4z91roa6i17nzZ5kbwLyUt/sNZh6NCMEAwHQYDVR0OBBYEFJeJ9DIooOLg
            9l4gl4+wChIDwIurMB8GA1UdIwQYMBaAFIou1DhCOV+Lnek7ERVkgZBxXc5/MAoG
            CCqGSM49BAMCA0cAMEQCIBTyODjlBZCfCU80KO8XfC5FgkkdDCY02bsrC5aska9u
            AiAT+ON07M2O5aYs56cgae7Rq0HHdA6d71iXUlO7tXE7aw==
            -----END CERTIFICATE-----
            """;
    private static final String PORT_OF_NAMESAKE = """
            -----BEGIN CERTIFICATE-----
            MIIBbTCCARSgAwIBAgIIH2FhhLWn8wAwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAxMR
            SGFyYm91ciBBdXRob3JpdHkwIBcNMjAwMTAyMDAwMDAwWhgPMjExOTA4MzEwMDAw
            MDBaMBgxFjAUBgNVBAMTDXRpZGVzLmV4YW1wbGUwWTATBgcqhkjOPQIBBggqhkjO
            PQMBBwNCAAS0cqxUCkmWfU2atDoUWr9muuEuuLoL9STg1YF833dCTnU3Dsd1EGt7
            NDUiccko2pim1rA4zOp9VspHc4qWO29yo0IwQDAdBgNVHQ4EFgQU/H74Lb5k6PMT
            bo2Ihf+4kAawHmIwHwYDVR0jBBgwFoAUmJpUkBUqPRFo+AzC119LDGSLCHIwCgYI
            KoZIzj0EAwIDRwAwRAIgD4YxhHPQ6kLAKqweXB4yYGf0VvTuWqfK0P7q6dw8sUAC
            IBTMcy1GgSPWpP+t3LJMUTOfhpCqga5XfeQiaDYdPMBw
            -----END CERTIFICATE-----
            """;
    private static final String PORT_OF_LONG_AGO = """
            -----BEGIN CERTIFICATE-----
            MIIBazCCARKgAwIBAgIIAf/FhV7nw0IwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAxMR
            SGFyYm91ciBBdXRob3JpdHkwHhcNMjAwMTAyMDAwMDAwWhcNMjAwMjAxMDAwMDAw
            WjAYMRYwFAYDVQQDEw10aWRlcy5leGFtcGxlMFkwEwYHKoZIzj0CAQYIKoZIzj0D
            AQcDQgAEdTs1nv2dckLxPTSPC3KsbWBD1Ale/H4UKbdKGpepJOhzxXZ7aftLgrDI
            GXrdH5135SlVqYDR7RtpcdDU0aMaxKNCMEAwHQYDVR0OBBYEFB6+yxK5dFw4Ex7G
            LKi5d8WknlaLMB8GA1UdIwQYMBaAFIou1DhCOV+Lnek7ERVkgZBxXc5/MAoGCCqG
            SM49BAMCA0cAMEQCIHD8Qc+uoTzh5yc/BLNHZJQwzfKwms87FXbJkB2kfyl5AiBL
            v0ov1pcuV946ohXG77lY2ejoVYWVK47E7CXR3Zpf2A==
            -----END CERTIFICATE-----
            """;

    private X509TrustManager gate;

    @BeforeEach
    void open() throws GeneralSecurityException, IOException {
        KeyStore authorities = KeyStore.getInstance("PKCS12");
        authorities.load(null, null);
        authorities.setCertificateEntry("harbour", certificate(AUTHORITY));
        PortLink link = PortLink.to(authorities);
        assertNotNull(link.context());
        gate = link.gatekeeper();
    }

    @Test
    void letsAPortIn() throws CertificateException {
        check(PORT);
        check(PORT);
    }

    @Test
    void letsAPortInWithItsAuthority() throws CertificateException {
        check(PORT, AUTHORITY);
        assertNotNull(gate.getAcceptedIssuers());
    }

    @Test
    void aNamesakeIsNobody() {
        assertThrows(CertificateException.class, () -> check(PORT_OF_NAMESAKE));
        assertThrows(CertificateException.class, () -> check(PORT_OF_NAMESAKE, NAMESAKE));
        assertThrows(CertificateException.class, () -> check(NAMESAKE));
    }

    @Test
    void anAuthorityInTheChainSignedIt() {
        assertThrows(CertificateException.class, () -> check(PORT_OF_NAMESAKE, AUTHORITY));
    }

    @Test
    void anOldPassIsNone() {
        assertThrows(CertificateException.class, () -> check(PORT_OF_LONG_AGO));
    }

    private void check(String... chain) throws CertificateException {
        X509Certificate[] shown = new X509Certificate[chain.length];
        for (int i = 0; i < chain.length; i++) {
            shown[i] = certificate(chain[i]);
        }
        gate.checkServerTrusted(shown, "ECDHE_ECDSA");
    }

    private static X509Certificate certificate(String pem) throws CertificateException {
        byte[] text = pem.strip().getBytes(StandardCharsets.US_ASCII);
        return (X509Certificate) CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(text));
    }
}
