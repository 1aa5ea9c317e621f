package org.lamplight.guestbook.pages;

import static org.junit.jupiter.api.Assertions.*;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class SignPageTest {
    private static final Pattern FORM = Pattern.compile(
            "<h1>Welcome, ([^<>]*)!</h1>\\s*<form method=\"post\"><input name=\"name\" value=\"([^\"<>]*)\">\\s*<textarea");

    private static String page(String name) throws IOException {
        Visit visit = new Visit().with("name", name);
        new SignPage().doGet(visit.request(), visit.response());
        return visit.page();
    }

    @Test
    void greetsByName() throws IOException {
        String page = page("Ida Berg 2");
        assertTrue(page.contains("<h1>Welcome, Ida Berg 2!</h1>"), page);
        assertTrue(page.contains("value=\"Ida Berg 2\""), page);
        assertTrue(page.contains("<textarea name=\"words\">"), page);
    }

    @Test
    void greetsStrangers() throws IOException {
        assertTrue(page(null).contains("<h1>Welcome, stranger!</h1>"));
        assertTrue(page("  ").contains("value=\"stranger\""));
    }

    @Test
    void tagsAreText() throws IOException {
        assertWhole("<script>steal()</script>");
        assertWhole("</title><img src=x onerror=steal()>");
    }

    @Test
    void theFieldStaysClosed() throws IOException {
        assertWhole("\" onfocus=\"steal()\" autofocus x=\"");
        assertWhole("\"><svg onload=steal()>");
    }

    /** The page has its own tags and nothing else. */
    private static void assertWhole(String name) throws IOException {
        String page = page(name);
        Matcher form = FORM.matcher(page);
        assertTrue(form.find(), page);
        assertEquals(12, page.chars().filter(c -> c == '<').count(), page);
    }
}
