package dir;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class FailuresTest {
    private final Desk desk = new Desk(Map.of(
            "good", words -> List.of("fine"),
            "none", words -> {
                throw new NoSuchElementException("uid=ina,ou=people");
            },
            "bad", words -> {
                throw new IllegalStateException("no connection to ldap://10.0.0.7:389 as cn=root",
                        new java.io.IOException("/etc/desk/secret.conf"));
            }));

    @BeforeEach
    void clear() {
        LoggerFactory.clear();
    }

    @Test
    void numbersFailures() {
        assertEquals(new Reply(200, "fine"), desk.answer("good"));
        assertEquals(404, desk.answer("none").status());
        Reply second = desk.answer("bad");
        assertEquals(500, second.status());
        assertTrue(second.text().startsWith("Failure 2"), second.text());
    }

    @Test
    void theLogHoldsTheDetails() {
        desk.answer("bad");
        assertTrue(LoggerFactory.logged().get(0).contains("ldap://10.0.0.7:389"));
    }

    private void tellsLittle(String line) {
        String text = desk.answer(line).text();
        for (String word : List.of("ldap", "10.0.0.7", "cn=", "uid=", "/etc", "Exception", "dir.")) {
            assertFalse(text.contains(word), text);
        }
    }

    @Test
    void clientsDoNotReadTraces() {
        tellsLittle("bad");
    }

    @Test
    void norWhatWasMissing() {
        tellsLittle("none");
    }
}
