package bot;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class AuditTest {
    private static String entry(String author, String room, String text) {
        LoggerFactory.clear();
        new Audit().command(new Message(author, room, text));
        List<String> entries = LoggerFactory.logged();
        assertEquals(1, entries.size());
        return entries.get(0);
    }

    @Test
    void tellsWhoAndWhere() {
        assertEquals("ina in den said !help", entry("ina", "den", "!help"));
    }

    @Test
    void braceAndUmlaut() {
        String entry = entry("rolf", "k\u00fcche", "!count {a} b");
        assertEquals("rolf in k\u00fcche said !count {a} b", entry);
    }

    private static void oneLine(String entry) {
        assertEquals(1, entry.lines().count(), entry);
        assertFalse(entry.contains("\r") || entry.contains("\n"), entry);
    }

    @Test
    void aTextIsOneLine() {
        oneLine(entry("eve", "den", "!x\nina in den said !pay"));
        oneLine(entry("eve", "den", "!x\rina in den said !pay"));
    }

    @Test
    void soAreNamesAndRooms() {
        oneLine(entry("eve\nina", "den", "!x"));
        oneLine(entry("eve", "den\r\nattic", "!x"));
    }
}
