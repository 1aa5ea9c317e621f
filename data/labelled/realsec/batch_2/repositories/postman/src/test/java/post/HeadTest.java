package post;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import org.junit.jupiter.api.Test;

class HeadTest {
    @Test
    void writesTheHead() {
        String text = new Head(303).with("Location", "/letters?n=1").with("Vary", "*").text();
        assertEquals("HTTP/1.1 303 -\r\nLocation: /letters?n=1\r\nVary: *\r\n\r\n", text);
    }

    @Test
    void withoutFields() {
        assertEquals("HTTP/1.1 204 -\r\n\r\n", new Head(204).text());
    }

    /** As lenient clients read it: a line ends with either character. */
    private static void oneField(String name, String value) {
        String text;
        try {
            text = new Head(200).with(name, value).text();
        } catch (RuntimeException refused) {
            return;
        }
        List<String> lines = List.of(text.split("\r\n|\r|\n"));
        assertTrue(lines.size() <= 2, lines.toString());
    }

    @Test
    void aValueIsOneLine() {
        oneField("Location", "/a\r\nSet-Cookie: sid=1");
        oneField("Location", "/a\r\n\r\n<html>");
    }

    @Test
    void howeverItBreaks() {
        oneField("Location", "/a\nSet-Cookie: sid=1");
        oneField("Location", "/a\rSet-Cookie: sid=1");
        oneField("X-A: 1\r\nSet-Cookie", "sid=1");
    }
}
