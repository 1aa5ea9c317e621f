package access.session;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class SessionsTest {
    private final Sessions sessions = new Sessions();

    @Test
    void beginAndEnd() {
        Session session = sessions.begin("mia");
        assertSame(session, sessions.find(session.id()));
        assertTrue(sessions.end(session.id()));
        assertFalse(sessions.end(session.id()));
        assertNull(sessions.find(session.id()));
        assertFalse(sessions.end(null));
    }

    @Test
    void theEndIsLogged() {
        Session session = sessions.begin("mia");
        sessions.begin("ben");
        LoggerFactory.clear();
        sessions.end(session.id());
        assertEquals(1, LoggerFactory.logged().size());
        String line = LoggerFactory.logged().get(0);
        assertTrue(line.contains("mia") && line.endsWith("ends, 1 open"), line);
    }

    @Test
    void theLogTakesOverNoSession() {
        Session session = sessions.begin("mia");
        sessions.end(session.id());
        String all = String.join("\n", LoggerFactory.logged());
        assertFalse(all.contains(session.id()), all);
        assertFalse(all.contains(session.form()), all);
    }
}
