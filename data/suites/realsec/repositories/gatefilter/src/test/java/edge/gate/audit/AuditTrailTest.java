package edge.gate.audit;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditTrailTest {
    @BeforeEach
    void clear() {
        LoggerFactory.clear();
    }

    @Test
    void countsAndNamesTheUser() {
        AuditTrail trail = new AuditTrail();
        trail.rejected(" mia ", "/a");
        trail.rejected(null, "/b");
        assertEquals(2, trail.rejections());
        assertEquals(2, LoggerFactory.logged().size());
        assertTrue(LoggerFactory.logged().get(0).contains("user=mia path=/a"));
        assertTrue(LoggerFactory.logged().get(1).contains("#2: user=anonymous path=/b"));
    }

    @Test
    void anEntryIsOneLine() {
        AuditTrail trail = new AuditTrail();
        trail.rejected("mia\nrejected #9: user=root path=/", "/a");
        trail.rejected("mia", "/a\r\nrejected");
        trail.rejected("mia\rroot", "/a");
        for (String line : LoggerFactory.logged()) {
            assertFalse(line.contains("\n") || line.contains("\r"), line);
        }
    }
}
