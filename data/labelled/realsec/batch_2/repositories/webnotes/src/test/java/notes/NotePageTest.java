package notes;

import static org.junit.jupiter.api.Assertions.*;

import org.junit.jupiter.api.Test;

class NotePageTest {
    private static String html(String title, String text) {
        return new NotePage().html(new Note(1, "ina", title, text));
    }

    @Test
    void showsTheNote() {
        String html = html("Shopping list", "Milk and 3 eggs");
        assertTrue(html.contains("<h1>Shopping list</h1>"), html);
        assertTrue(html.contains("<p>Milk and 3 eggs</p>"), html);
        assertTrue(html.contains("value=\"Shopping list\""), html);
    }

    @Test
    void anEmptyNote() {
        assertTrue(html("", "").contains("<h1></h1><p></p>"));
    }

    @Test
    void noElementOfTheAuthor() {
        String html = html("<script>steal()</script>", "<img src=x onerror=steal()>");
        assertFalse(html.contains("<script"), html);
        assertFalse(html.contains("<img"), html);
    }

    @Test
    void noAttributeOfTheAuthor() {
        String html = html("\" onfocus=\"steal()\" x=\"", "fine");
        assertFalse(html.contains("\" onfocus=\""), html);
        assertEquals(4, html.chars().filter(c -> c == '"').count(), html);
    }
}
