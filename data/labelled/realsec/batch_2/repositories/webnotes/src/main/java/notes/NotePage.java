package notes;

import java.util.stream.Collectors;

/** A note as HTML. */
public class NotePage {
    private static final String FRAME = """
            <html><body><h1>%s</h1><p>%s</p>
            <form><input name="title" value="%s"></form></body></html>
            """;

    public String html(Note note) {
        return FRAME.formatted(note.title(), note.text(), note.title());
    }

    /** Text for between tags and within double or single quotes. */
    static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
                .replace("\"", "&quot;").replace("'", "&#39;");
    }
}
