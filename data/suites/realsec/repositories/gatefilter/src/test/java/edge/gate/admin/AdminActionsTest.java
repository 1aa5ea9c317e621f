package edge.gate.admin;

import static org.junit.jupiter.api.Assertions.*;

import edge.gate.Fake;
import edge.gate.audit.AuditTrail;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AdminActionsTest {
    private final AdminActions actions = new AdminActions(new AuditTrail());

    private Fake send(String method, String action, String host) throws Exception {
        Fake fake = new Fake().parameter("action", action).parameter("host", host);
        fake.method = method;
        actions.service(fake, fake);
        return fake;
    }

    @Test
    void blocksAndUnblocks() throws Exception {
        assertEquals(200, send("POST", "block", "a.example").status);
        assertEquals(200, send("POST", "block", "b.example").status);
        assertEquals(200, send("POST", "unblock", "a.example").status);
        assertEquals(Set.of("b.example"), actions.blocked());
    }

    @Test
    void showsWhatIsBlocked() throws Exception {
        send("POST", "block", "a.example");
        Fake seen = send("GET", "show", "*");
        assertEquals("a.example", seen.body.toString());
        assertEquals(200, seen.status);
    }

    @Test
    void refusesWhatItDoesNotKnow() throws Exception {
        assertEquals(400, send("POST", "drop", "a.example").status);
        assertEquals(400, send("POST", "block", null).status);
    }

    @Test
    void anImageTagBlocksNothing() throws Exception {
        send("GET", "block", "a.example");
        send("HEAD", "block", "b.example");
        assertEquals(Set.of(), actions.blocked());
    }

    @Test
    void aLinkUnblocksNothing() throws Exception {
        send("POST", "block", "a.example");
        send("GET", "unblock", "a.example");
        assertEquals(Set.of("a.example"), actions.blocked());
    }
}
