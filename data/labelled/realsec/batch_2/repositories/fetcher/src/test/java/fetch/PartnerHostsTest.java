package fetch;

import static org.junit.jupiter.api.Assertions.*;

import java.lang.reflect.Proxy;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;

class PartnerHostsTest {
    private static boolean verify(String host, String subject) {
        SSLSession session = (SSLSession) Proxy.newProxyInstance(
                PartnerHostsTest.class.getClassLoader(), new Class<?>[] {SSLSession.class},
                (self, method, given) -> {
                    if (!method.getName().equals("getPeerPrincipal")) {
                        throw new UnsupportedOperationException(method.getName());
                    }
                    if (subject == null) {
                        throw new SSLPeerUnverifiedException("no certificate");
                    }
                    return new X500Principal(subject);
                });
        return new PartnerHosts().verify(host, session);
    }

    @Test
    void partnersAreThemselves() {
        assertTrue(verify("prices.north.example", "CN=prices.north.example, O=North"));
        assertTrue(verify("Prices.North.Example", "O=North, CN=prices.north.example"));
    }

    @Test
    void readsCommonNames() {
        assertEquals("a.example", PartnerHosts.commonName("O=A,CN=a.example"));
        assertEquals("", PartnerHosts.commonName("O=A"));
    }

    @Test
    void anotherIsNot() {
        assertFalse(verify("prices.north.example", "CN=evil.example"));
        assertFalse(verify("prices.north.example", null));
    }

    @Test
    void norOneWithALongerName() {
        assertFalse(verify("prices.north.example", "CN=prices.north.example.evil.example"));
        assertFalse(verify("prices.north.example", "O=prices.north.example, CN=evil.example"));
        assertFalse(verify("north.example", "CN=evilnorth.example"));
    }
}
