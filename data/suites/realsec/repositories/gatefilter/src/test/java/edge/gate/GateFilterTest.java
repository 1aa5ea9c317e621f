package edge.gate;

import static org.junit.jupiter.api.Assertions.*;

import edge.gate.audit.AuditTrail;
import edge.gate.rules.Decision;
import edge.gate.rules.RuleBook;
import edge.gate.token.TokenCheck;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class GateFilterTest {
    private final AuditTrail audit = new AuditTrail();
    private final GateFilter filter = new GateFilter(
            new RuleBook().add("/open", Decision.OPEN).add("/open/not", Decision.TOKEN),
            new TokenCheck(Set.of("k-19")), audit);
    private int passed;

    @BeforeEach
    void clear() {
        LoggerFactory.clear();
    }

    private Fake send(Fake request) throws Exception {
        filter.doFilter(request, request, (a, b) -> passed++);
        return request;
    }

    private static Fake at(String uri) {
        Fake fake = new Fake();
        fake.uri = uri;
        return fake;
    }

    @Test
    void openPathsNeedNoToken() throws Exception {
        send(at("/open/page"));
        assertEquals(1, passed);
        send(at("/open/not/page"));
        assertEquals(1, passed);
    }

    @Test
    void knownTokenPasses() throws Exception {
        Fake seen = send(at("/admin").header("X-Gate-Token", "k-19"));
        assertEquals(1, passed);
        assertEquals(0, seen.status);
        assertEquals(0, audit.rejections());
    }

    @Test
    void othersAreRefusedAndLogged() throws Exception {
        Fake seen = send(at("/admin").header("User-Agent", "curl/8").parameter("user", "mia"));
        assertEquals(403, seen.status);
        assertEquals(0, passed);
        assertEquals(1, audit.rejections());
        assertTrue(LoggerFactory.logged().stream()
                .anyMatch(l -> l.contains("/admin") && l.contains("curl/8")));
    }

    @Test
    void agentStaysOnOneLine() throws Exception {
        send(at("/admin").header("User-Agent", "x\nINFO token k-19 is valid"));
        send(at("/a\rdmin").header("User-Agent", "x\r\ny"));
        for (String line : LoggerFactory.logged()) {
            if (line.contains("user=")) {
                continue; // the audit trail has tests of its own
            }
            assertFalse(line.contains("\n") || line.contains("\r"), line);
        }
    }
}
