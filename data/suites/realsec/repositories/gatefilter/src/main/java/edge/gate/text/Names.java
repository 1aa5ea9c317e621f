package edge.gate.text;

/** Small helpers for texts that come with a request. */
public final class Names {
    private Names() {
    }

    public static String orAnonymous(String user) {
        return user == null || user.isBlank() ? "anonymous" : user.strip();
    }

    /** The text on one line: every control character becomes an underscore. */
    public static String oneLine(String text) {
        return text == null ? "" : text.replaceAll("\\p{Cntrl}", "_");
    }
}
