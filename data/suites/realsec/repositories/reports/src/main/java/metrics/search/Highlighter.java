package metrics.search;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sets what was found in brackets. */
public final class Highlighter {
    private static final Pattern BLANKS = Pattern.compile("\\s+");

    public String marked(String label, String term) {
        if (term.isEmpty()) {
            return label;
        }
        return label.replaceAll(term, "[$0]");
    }

    /** The label on one line. */
    public String plain(String label) {
        Matcher blanks = BLANKS.matcher(label);
        return blanks.replaceAll(" ");
    }
}
