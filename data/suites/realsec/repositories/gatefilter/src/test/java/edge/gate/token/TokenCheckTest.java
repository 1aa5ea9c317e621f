package edge.gate.token;

import static org.junit.jupiter.api.Assertions.*;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class TokenCheckTest {
    private final TokenCheck check = new TokenCheck(Set.of("k-19-abcdef", "k-20-ghijkl"));

    @Test
    void knowsItsTokens() {
        assertTrue(check.accepts("k-19-abcdef"));
        assertTrue(check.accepts(" k-20-ghijkl "));
        assertFalse(check.accepts("k-21-mnopqr"));
    }

    @Test
    void nothingIsNoToken() {
        assertFalse(check.accepts(null));
        assertFalse(check.accepts("  "));
    }

    @Test
    void logsTheResult() {
        LoggerFactory.clear();
        check.accepts("k-19-abcdef");
        check.accepts("other");
        assertTrue(LoggerFactory.logged().get(0).contains("valid"));
        assertTrue(LoggerFactory.logged().get(1).contains("unknown"));
    }

    @Test
    void logsAreFreeOfTokens() {
        LoggerFactory.clear();
        check.accepts("k-19-abcdef");
        check.accepts("k-19-abcdeg");
        String all = String.join("\n", LoggerFactory.logged());
        assertFalse(all.contains("abcdef") || all.contains("abcdeg"), all);
    }
}
